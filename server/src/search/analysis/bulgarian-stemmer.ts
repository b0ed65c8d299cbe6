/**
 * The light stemmer for Bulgarian of J. Savoy, "Searching Strategies for the Bulgarian Language" (Information Retrieval 10, 2007):
 * articles, plurals, and alternations of the root. (That of @orama/stemmers throws for many words: it writes into strings.)
 */
export function stemBulgarian(word: string): string {
  const letters = [...word];
  if (letters.length < 4) return word;
  if (letters.length > 5 && endsWith(letters, 'ища')) return word.slice(0, -3);
  withoutArticle(letters);
  withoutPlural(letters);
  if (letters.length > 3) {
    if (endsWith(letters, 'я')) letters.pop();
    if (ENDINGS.some((ending) => endsWith(letters, ending))) letters.pop();
  }
  if (letters.length > 4 && endsWith(letters, 'ен')) {
    letters.splice(-2, 2, 'н');
  }
  if (letters.length > 5 && letters.at(-2) === 'ъ') letters.splice(-2, 1);
  return letters.join('');
}

const ENDINGS = ['а', 'о', 'е'];
const ARTICLES = ['ът', 'то', 'те', 'та', 'ия'];

function withoutArticle(letters: string[]): void {
  const { length } = letters;
  if (length > 6 && endsWith(letters, 'ият')) letters.length = length - 3;
  else if (length > 5 && ARTICLES.some((article) => endsWith(letters, article))) {
    letters.length = length - 2;
  } else if (length > 4 && endsWith(letters, 'ят')) letters.length = length - 2;
}

/** The ending of a plural, how long a word with it is at least, and what the singular has instead. */
const PLURALS: readonly (readonly [ending: string, lengthMin: number, singular: string])[] = [
  ['овци', 7, 'о'],
  ['ове', 7, ''],
  ['еве', 7, 'й'],
  ['ища', 6, ''],
  ['та', 6, ''],
  ['ци', 6, 'к'],
  ['зи', 6, 'г'],
];

function withoutPlural(letters: string[]): void {
  for (const [ending, lengthMin, singular] of PLURALS) {
    if (letters.length < lengthMin || !endsWith(letters, ending)) continue;
    letters.splice(-ending.length, ending.length, ...singular);
    return;
  }
  if (letters.length > 5 && letters.at(-3) === 'е' && letters.at(-1) === 'и') {
    letters.splice(-3, 3, 'я', letters.at(-2) ?? '');
  } else if (letters.length > 4 && endsWith(letters, 'си')) {
    letters.splice(-2, 2, 'х');
  } else if (letters.length > 4 && endsWith(letters, 'и')) letters.pop();
}

function endsWith(letters: readonly string[], ending: string): boolean {
  const start = letters.length - ending.length;
  if (start < 0) return false;
  for (let i = 0; i < ending.length; i++) if (letters[start + i] !== ending[i]) return false;
  return true;
}
