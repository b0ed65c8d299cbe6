/** Where a node is shown to people, by its UID: under the given address, or relative to whatever the reader is at. */
export function nodeLinks(baseUrl: string | undefined): (uid: string) => string {
  const base = (baseUrl ?? '').replace(/\/+$/, '');
  return (uid) => `${base}/#/node/${uid}`;
}
