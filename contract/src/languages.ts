/**
 * In the place of a language's two letters: words are compared as they are written. Synonyms stored
 * for it hold for all languages (open-shapes, section 4).
 */
export const ANY_LANGUAGE = '--';
