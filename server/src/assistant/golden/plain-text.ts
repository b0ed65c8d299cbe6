/**
 * A text as it is compared: one form of each letter (NFKC), lower case, without marks of Markdown,
 * punctuation and citations, numbers without separators of thousands, one space between words.
 */
export function plainText(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/\[\d{1,6}\]/g, ' ')
    .toLowerCase()
    .replaceAll(/(?<=\d)[,.'’\s](?=\d{3}(?!\d))/g, '')
    .replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim();
}

/** Whether a plain text has another one, and not only as a part of a longer word or number. */
export function hasPlain(text: string, part: string): boolean {
  if (part === '') return false;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) {
    const end = at + part.length;
    if (!isInWord(text, at) && !isInWord(text, end)) return true;
  }
  return false;
}

/** Scripts that put no space between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/** Whether a word goes on over this place. */
function isInWord(text: string, at: number): boolean {
  const before = text[at - 1] ?? ' ';
  const after = text[at] ?? ' ';
  if (before === ' ' || after === ' ') return false;
  return !UNSPACED.test(before) && !UNSPACED.test(after);
}

/** Runs of so many words. */
export function shingles(text: string, words: number): Set<string> {
  const all = text.split(' ');
  const found = new Set<string>();
  for (let at = 0; at + words <= all.length; at++) found.add(all.slice(at, at + words).join(' '));
  return found;
}

/**
 * What models say that do not answer, in several languages. A rule of thumb, used where no judge
 * is set; the answer must cite nothing as well.
 */
const REFUSALS = [
  /\b(?:can|could|did|do|does|is|are|was|were|am|may)(?:not| not|n t| t) (?:\w+ )?(?:find|found|have|know|access|tell|see|answer|able|available|contain|share|provide|disclose|reveal|allowed|permitted|help)/u,
  /\b(?:cannot|unable to|not able to|not (?:found|available|allowed|permitted)|not in the workspace)\b/u,
  /\bno (?:\w+ )?(?:information|data|results?|facts?|matches|records?|nodes?|access|answer|entry|entries|evidence)\b/u,
  /\b(?:nothing|nobody) (?:\w+ )?(?:about|on|in|fits?|found|known|knows|says)\b/u,
  /\b(?:found|find|knows?) nothing\b/u,
  /\b(?:nichts|keine?n?|nicht) (?:\w+ )?(?:gefunden|finden|informationen?|angaben?|daten|zugriff|auskunft|bekannt|verfügbar|beantworten|sagen)\b/u,
  /\b(?:weiß|weiss) (?:\w+ )?nicht\b/u,
  /\b(?:aucune?|pas (?:pu|trouvé|d information|accès|en mesure)|ne (?:sais|peux|dispose|trouve) pas|rien trouvé)\b/u,
  /\bno (?:\w+ )?(?:encontr\p{L}+|puedo|tengo|sé|hay información|dispongo)\b/u,
];

export function looksLikeRefusal(plain: string): boolean {
  return REFUSALS.some((one) => one.test(plain));
}
