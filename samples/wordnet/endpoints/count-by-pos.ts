// trellis: readOnly
// trellis: cacheSeconds 60
// trellis: description How many synsets there are of each part of speech, and how many words.

export default async function countByPos({ q }: Scope) {
  const [groups, words] = await Promise.all([
    q().startAt('Synset').groupBy('Pos'),
    q().startAt('Word').count(),
  ]);
  const synsets = Object.fromEntries(groups.map(({ value, count }) => [String(value), count]));
  return { synsets, words };
}
