"""When two records are one paper, and what becomes of both: titles, people and venues compared, records merged."""
