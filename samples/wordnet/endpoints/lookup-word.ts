// trellis: readOnly
// trellis: description What a word means: its senses in order, each with part of speech, definition and synonyms.

interface Question {
  /** As people write it, such as "dog" or "New York"; other capitals are tried as well. */
  readonly word: string;
}

const PARTS_OF_SPEECH = ['noun', 'verb', 'adjective', 'adjective satellite', 'adverb'];

export default async function lookupWord({
  body,
  q,
  graph,
  badRequest,
  notFound,
}: Scope<Question>) {
  const asked = body.word.trim().replaceAll('_', ' ');
  if (asked === '') return badRequest('Send {"word": "..."}: the word to look up.');
  const found = (await graph.getMany('Word', spellings(asked))).filter((word) => word !== null);
  if (found.length === 0) return notFound(`"${asked}" is not in the dictionary.`);

  const words = q().startAtUids(found.map((word) => word.UID));
  const [edges, synsets] = await Promise.all([
    words.edges('HasSense'),
    words.out('Synset', 'HasSense').nodes(),
  ]);
  const synsetByUid = new Map(synsets.map((synset) => [synset.UID, synset]));
  const lemmaByUid = new Map(found.map((word) => [word.UID, word.Lemma]));

  const senses = edges.flatMap((edge) => {
    const synset = synsetByUid.get(edge.to);
    const word = lemmaByUid.get(edge.from);
    if (synset === undefined) return [];
    return {
      word,
      partOfSpeech: synset.Pos ?? '',
      sense: Number(edge['SenseNumber']),
      definition: synset.Definition,
      examples: synset.Examples ?? [],
      synonyms: (synset.Lemmas ?? []).filter((lemma) => lemma !== word),
      synset: synset.Id,
    };
  });
  senses.sort(
    (a, b) =>
      PARTS_OF_SPEECH.indexOf(a.partOfSpeech) - PARTS_OF_SPEECH.indexOf(b.partOfSpeech) ||
      a.sense - b.sense,
  );
  return { word: asked, senses };
}

function spellings(word: string): string[] {
  const lower = word.toLowerCase();
  const capitalised = lower.replaceAll(/\b\p{L}/gu, (letter) => letter.toUpperCase());
  return [...new Set([word, lower, capitalised, word.toUpperCase()])];
}
