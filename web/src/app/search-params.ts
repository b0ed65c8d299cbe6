type Texts<N extends string> = { readonly [name in N]?: string | undefined };

/** The named search parameters that are texts; whatever else stands in an address is left out. */
export function texts<const N extends string>(
  search: Record<string, unknown>,
  names: readonly N[],
): Texts<N> {
  const found: { [name in N]?: string } = {};
  for (const name of names) {
    const value = search[name];
    // The router reads what looks like JSON: a text of digits arrives as a number.
    if (typeof value === 'string') found[name] = value;
    else if (typeof value === 'number' || typeof value === 'boolean') found[name] = String(value);
  }
  return found;
}

/** The page of a list: how many rows are before it; nothing for the first. */
export function skipOf(search: Record<string, unknown>): { readonly skip?: number | undefined } {
  const { skip } = search;
  return typeof skip === 'number' && Number.isSafeInteger(skip) && skip > 0 ? { skip } : {};
}

/** The search parameters of a page with a list: texts that filter it, and `skip`. */
export function listSearch<const N extends string>(
  search: Record<string, unknown>,
  names: readonly N[],
): Texts<N> & { readonly skip?: number | undefined } {
  return { ...texts(search, names), ...skipOf(search) };
}

/** The same search parameters, at another page of the list. */
export function atSkip(skip: number) {
  return <S extends object>(search: S): S & { readonly skip: number | undefined } => ({
    ...search,
    skip: skip === 0 ? undefined : skip,
  });
}
