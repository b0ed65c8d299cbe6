/** Words that turn a statement into its opposite, in common languages. */
const NEGATIONS = new Set(
  `no not never none nobody nothing nor neither without cannot false lack lacks lacked lacking fail
  fails failed deny denies denied refuse refuses refused unable impossible inactive disabled except
  hardly barely nowhere unlike excluding absent
  nicht kein keine keinen keinem keiner keines nie niemals niemand nichts ohne weder falsch
  non ne pas jamais aucun aucune rien sans ni faux personne
  nunca nadie nada ningún ninguna ninguno sin jamás falso tampoco
  mai nessun nessuna nessuno niente nulla senza né
  não nunca nenhum nenhuma nada sem ninguém
  niet geen nooit niemand niets zonder
  inte ingen inga aldrig utan ikke aldri uten aldrig uden
  nie żaden bez не нет нет никогда никто ничего без нельзя ei eivät`
    .split(/\s+/)
    .filter((word) => word !== ''),
);
const NEGATED_SIGNS = /\p{L}n[’']t\b|[不没沒無非未]|ない|ません|않|없/u;

/** How many words of a text say no. */
export function negationsIn(text: string): number {
  const words: readonly string[] = text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? [];
  // French says it twice.
  const isTwice =
    words.includes('ne') &&
    words.some((word) => /^(?:pas|jamais|rien|aucune?|personne|ni)$/.test(word));
  const count = words.filter((word) => NEGATIONS.has(word)).length - Number(isTwice);
  return count + Number(NEGATED_SIGNS.test(text));
}
