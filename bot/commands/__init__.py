"""What people can say: the grammar, the brief of a survey, and who may do what. Pure."""
