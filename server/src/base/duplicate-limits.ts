/** Every limit of the search for duplicates, by name; units last. Others are in `limits.ts`. */

/** What more nodes than this share does not bring them together; the same of a word of a name. */
export const DUPLICATE_BLOCK_NODES_MAX = 50;
export const DUPLICATE_WORD_BLOCK_NODES_MAX = 30;
/** Of how many nodes, the newest, others are looked for by their vectors. */
export const DUPLICATE_NEAR_NODES_MAX = 20_000;
/** Texts from this length on are compared by their words, and so many pairs of them. */
export const DUPLICATE_TEXT_CHARACTERS_MIN = 60;
export const DUPLICATE_SKETCH_PAIRS_MAX = 5;
/** What is compared of a text: its words, and the characters of each. */
export const DUPLICATE_WORDS_MAX = 100;
export const DUPLICATE_WORD_CHARACTERS_MAX = 40;
/** What is compared of a value. Shorter ones are no names of things. */
export const DUPLICATE_VALUE_CHARACTERS_MIN = 3;
export const DUPLICATE_VALUE_CHARACTERS_MAX = 2_000;
/** What more nodes are connected to says nothing about two of them; and so many of one node. */
export const DUPLICATE_NEIGHBOR_EDGES_MAX = 20;
export const DUPLICATE_NEIGHBORS_MAX = 100;
