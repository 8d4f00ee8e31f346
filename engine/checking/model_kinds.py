"""Kinds of models and of hardware: what a claim calls a system has to be what its source calls it."""

from __future__ import annotations

from engine.checking.strengths import Strength, match_words

MODEL_KINDS: tuple[Strength, ...] = tuple(
    Strength(name, match_words(said), match_words(warrant), anywhere=True)
    for name, said, warrant in (
        (
            "a convolutional network",
            r"convolution(?:s|al (?:neural )?(?:networks?|models?|architectures?))|CNNs?|ConvNets?",
            r"conv\w*|CNN\w*|\w*ConvNets?|ResNet\w*|\w*Net-?\d+\w*|VGG\w*|U-?Nets?|AlexNet|pixel\w*|kernels?",
        ),
        (
            "a recurrent network",
            r"recurrent (?:neural )?(?:networks?|models?)|LSTMs?|RNNs?|GRUs?",
            r"recurren\w*|\w*LSTM\w*|\w*GRUs?|\w*RNNs?|sequence\w*|seq2seq|encoder-decoder|memory|state[- ]space",
        ),
        (
            "a transformer",
            r"(?:vision )?transformers?(?: (?:models?|networks?|architectures?))?",
            r"\w*transformer\w*|\w*former|attention|\w*BERT\w*|GPT\S*|\w*ViT\w*|V?LLMs?|VLMs?|language models?|T5|BART|"
            r"CLIP|tokens?|transform\w*|foundation models?",
        ),
        (
            "a generative adversarial network",
            r"generative adversarial networks?|\w*GANs?",
            r"\w*GANs?|adversarial\w*|discriminator\w*",
        ),
        (
            "a diffusion model",
            r"diffusion (?:models?|process\w*|networks?|polic\w+)",
            r"\w*diffusion\w*|score-based|denois\w*|DDPM\w*|DDIM|SDEs?|flow matching",
        ),
        (
            "a graph neural network",
            r"graph (?:neural|convolutional|attention) networks?|GNNs?|GCNs?",
            r"graph\w*|\w*GNNs?|\w*GCNs?|message[- ]passing|nodes?|relational|mesh\w*|network\w*",
        ),
        (
            "reinforcement learning",
            r"reinforcement learning|Q-learning|actor-critic",
            r"reinforc\w*|\w*RL|MARL|polic(?:y|ies)|rewards?|Q-\w+|DQN|actor\w*|PPO|MDPs?|Markov decision|bandits?|"
            r"agents?|temporal[- ]difference|value functions?|imitation",
        ),
        (
            "evolution",
            r"(?:genetic|evolutionary) (?:algorithms?|programming|search|strateg\w+|optimi[sz]\w+)",
            r"evolution\w*|genetic\w*|genome\w*|population\w*|mutation\w*|swarm\w*|CMA\S*",
        ),
        ("a Kalman filter", r"Kalman filter\w*", r"\w*Kalman|\w*KF|filter\w*"),
        (
            "a support vector machine",
            r"support vector machines?|SVMs?",
            r"\w*SVMs?|support vectors?|kernel\w*|margins?",
        ),
        ("a forest", r"random forests?|decision trees?", r"forests?|trees?|boosting|boosted|ensembles?"),
        ("Gaussian processes", r"Gaussian process(?:es)?", r"Gaussian\w*|GPs?|kernel\w*|Bayesian"),
        ("hidden Markov models", r"hidden Markov models?|HMMs?", r"Markov\w*|\w*HMMs?"),
        ("Monte Carlo", r"Monte Carlo(?: \w+)?", r"Monte[- ]Carlo|MCMC|MCTS|sampl\w*|particles?"),
        (
            "contrastive learning",
            r"contrastive (?:\w+ )?(?:learning|loss\w*|training)",
            r"contrast\w*|InfoNCE|SimCLR|CLIP|siamese|positives?|negatives?|triplets?",
        ),
        ("distillation", r"(?:knowledge )?distillation", r"distil\w*|teacher\w*|student\w*"),
        ("meta-learning", r"meta-?learn\w+", r"meta\w*|MAML|few-shot|learn\w* to learn"),
        (
            "federated learning",
            r"federated (?:\w+ )?(?:learning|training)",
            r"federat\w*|clients?|decentrali[sz]\w*|distributed",
        ),
        (
            "curriculum learning",
            r"curriculum(?: learning)?",
            r"curricul\w*|easy|eas(?:ier|iest)|stage\w*|progressive\w*|gradual\w*|difficult\w*",
        ),
        (
            "active learning",
            r"active learning",
            r"active\w*|quer(?:y|ies|ying)|annotat\w*|label\w*|experimental design|select\w*",
        ),
        (
            "a data set",
            r"(?:is|was|as|called|introduces?|presents?|releases?) an? (?:[\w-]+ ){0,2}(?:datasets?|corpus|benchmark)",
            r"\w*data\w*|corpus|corpora|benchmark\w*|collect\w*|annotat\w*|\w*set|\w*bench|test ?bed|suite|resource",
        ),
        (
            "a kind of thing",
            r"is an? (?:[\w-]+ )?(?:theorem|lemma|programming language|search engine|simulator|operating system)",
            r"theor\w*|lemmas?|prov\w*|proofs?|language|engine|search|simulat\w*|operating system|environment\w*",
        ),
        (
            "a language model as such",
            r"is an? (?:[\w-]+ ){0,2}language model",
            r"language model\w*|\w*LMs?|GPT\S*|\w*BERT\w*|T5|LLaMA\S*|next[- ]word|perplexity|pre-?train\w*",
        ),
        (
            "a machine",
            r"laptops?|smartphones?|supercomputers?|workstations?|microcontrollers?|"
            r"(?:single|one|two|four|eight|\d+|consumer|desktop) (?:[\w-]+ )?(?:GPUs?|CPUs?|TPUs?)|Raspberry Pi",
            r"laptops?|\w*phones?|mobile|embedded|\w*GPUs?|\w*CPUs?|TPUs?|FPGAs?|hardware|computers?|devices?|processors?|"
            r"edge|Jetson|on-?board|microcontroller\w*|machines?|workstations?|supercomput\w*|cores?|cluster|desktop",
        ),
        (
            "availability",
            r"(?:code|software|implementation|models?|weights|data(?:sets?)?|library|toolkit) (?:\w+ ){0,2}?"
            r"(?:is|are|was|were|has been|have been) (?:\w+ )?(?:available|released|public\w*|open\w*|shared)|"
            r"open[- ]sourced?|publicly available|(?:releas|publish)\w* (?:\w+ )?(?:code|weights)|"
            r"(?:can|may) be downloaded|downloadable|freely (?:available|accessible)|(?:has|"
            r"have) been (?:released|published|"
            r"made (?:\w+ )?available)|(?:is|are) released",
            r"(?<!will be )(?<!be made )available|availability|(?<!will )(?<!will be )releas\w*|public\w*|"
            r"open\w*|git\w*|https?|source code|download\w*|"
            r"shar(?:e[sd]?|ing)|provid\w*|code|accessible|freely|community|library|toolkit|package|resources?",
        ),
        (
            "an award",
            r"(?:best[- ]paper|test[- ]of[- ]time) awards?|awards?|prizes?",
            r"awards?|prizes?|won|winn\w+|medals?|compet\w+|challenge|contest",
        ),
        (
            "what has become of it",
            r"(?:was|were|has|have) (?:later|since|subsequently|afterwards) (?:been )?[a-z]+|"
            r"(?:is|was) patented|patents?",
            r"later|has since|have since|subsequent\w*|afterwards|patent\w*",
        ),
        (
            "a release",
            r"(?:has|have) been (?:\w+ )?(?:released|published|made (?:\w+ )?available)",
            r"(?<!will )(?<!will be )(?<!be )(?:releas\w*|publish\w*|download\w*)|https?|git\w*|"
            r"(?:is|are|was|were) (?:\w+ly )?(?:made )?(?:\w+ly )?(?:available|accessible|released)|open[- ]sourc\w*",
        ),
        (
            "a judgement of people",
            r"(?:annotators|raters|evaluators|judges|users|people|readers|operators|experts|workers|psychologists|"
            r"patients) (?:\w+ )?(?:found|rated?|preferred|prefer|judged?|favou?r(?:ed)?)",
            r"prefer\w*|rat(?:ed|ings?|ers?)|judg\w+|stud(?:y|ies)|survey\w*|questionnaire\w*|(?:human|"
            r"user) feedback|annotat\w+|"
            r"particip\w+|subjectiv\w*|opinion\w*|vot\w+|agree\w*|human (?:evaluat|rat)\w+|satisf\w+",
        ),
        (
            "a result in closed form",
            r"analytically|in closed form",
            r"analytic\w*|closed[- ]form|deriv\w*|theor\w*|prov\w+|formula\w*",
        ),
        (
            "how often it is cited",
            r"(?:widely|often|heavily|frequently|most) cited|cited (?:more than|over|by)",
            r"cited|citations?",
        ),
        (
            "convergence",
            r"converges?|converged|convergence",
            r"converg\w*|prov(?:e[sdn]?|ing|abl[ey]|ably)|consisten(?:t|cy)|guarantee\w*|diverg\w*|"
            r"asymptotic\w*|fixed point\w*",
        ),
        ("an ablation", r"ablations?", r"ablat\w*|component\w*|contribut\w*|analys[ei]s|analyz\w*|without|variants?"),
        (
            "how well it is known",
            r"influential|seminal|landmark|(?:has|have) become (?:the|a) standard|"
            r"famous|well[- ]known|(?:is|was|are|has been|have been) (?:now )?widely (?:used|adopted)|de facto",
            r"cited|citations?|influen\w*|seminal|landmark|famous|well[- ]known|wide\w*|popular\w*|common\w*|standard|"
            r"prevalent|ubiquit\w*|known|de facto|adopt\w*|classic\w*|recent\w*",
        ),
    )
)
"""Each is compared as those of `engine.checking.strengths` are."""
