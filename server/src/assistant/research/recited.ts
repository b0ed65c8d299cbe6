import type { Snippets } from '../citations/snippets.ts';

/**
 * A text with its citations numbered as in `into`, in the order in which they come. Numbers that nothing in `from` has are left out:
 * a model made them up, and they could be taken for others.
 */
export function recited(text: string, from: Snippets, into: Snippets): string {
  const known = new Map(from.citedIn(text).map((snippet) => [String(snippet.id), snippet]));
  return text.replaceAll(/( ?)\[0*(\d{1,6})\]/g, (_mark, space: string, digits: string) => {
    const snippet = known.get(digits);
    return snippet === undefined ? '' : `${space}[${into.add(snippet.uid, snippet.text).id}]`;
  });
}
