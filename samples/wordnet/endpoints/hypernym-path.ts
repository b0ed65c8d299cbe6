// trellis: readOnly
// trellis: description From the first noun sense of a word up to entity, the most general noun there is.

interface Question {
  readonly word: string;
}

/** The synset that every noun leads up to. */
const ENTITY = { type: 'Synset', key: 'n00001740' } as const;
/** Sense keys of nouns continue with synset type 1: senseidx(5WN). */
const NOUN_SENSE_KEY = /%1:/;
/** The longest way up has fewer than 20 steps. */
const HOPS_MAX = 30;

export default async function hypernymPath({
  body,
  q,
  graph,
  badRequest,
  notFound,
}: Scope<Question>) {
  const asked = body.word.trim().replaceAll('_', ' ');
  if (asked === '') return badRequest('Send {"word": "..."}: a noun, such as "dog".');
  const word = await graph.tryGet('Word', asked);
  if (word === null) return notFound(`"${asked}" is not in the dictionary.`);

  const senses = await q().startAtUids(word.UID).edges('HasSense');
  const [first] = senses
    .filter((sense) => NOUN_SENSE_KEY.test(String(sense['SenseKey'])))
    .sort((a, b) => Number(a['SenseNumber']) - Number(b['SenseNumber']));
  if (first === undefined) return notFound(`"${asked}" is not a noun.`);

  const entity = await graph.get(ENTITY);
  const up = await q()
    .startAtUids(first.to)
    .shortestPath(entity, {
      edges: ['Hypernym', 'InstanceHypernym'],
      direction: 'out',
      maxHops: HOPS_MAX,
    });
  if (up === null) return notFound(`The first noun sense of "${asked}" has no hypernyms.`);
  const path = up.nodes.flatMap((node) =>
    node.Type === 'Synset'
      ? { synset: node.Id, words: node.Lemmas, definition: node.Definition }
      : [],
  );
  return { word: asked, steps: path.length - 1, path };
}
