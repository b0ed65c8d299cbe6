/** The edge from a node to each document that speaks of it, and back (docs/documents.md). */
export const EVIDENCE_EDGE = 'StatedIn';
export const EVIDENCE_INVERSE = 'States';
