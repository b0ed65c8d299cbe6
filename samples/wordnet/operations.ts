import { type Dictionary, readDictionary, type Synset } from './dictionary.ts';

/** The operations of ingestion that the sample needs (open-shapes, section 4). */
export type WordnetOperation =
  | {
      readonly op: 'addOrUpdate';
      readonly type: string;
      readonly key: string;
      readonly fields: Readonly<Record<string, unknown>>;
    }
  | {
      readonly op: 'link';
      readonly from: { readonly type: string; readonly key: string };
      readonly edge: string;
      readonly to: { readonly type: string; readonly key: string };
      readonly fields?: Readonly<Record<string, unknown>>;
    };

/** Exact before the first operation: a progress bar needs no guess. */
export interface WordnetTotals {
  readonly synsets: number;
  readonly words: number;
  /** Edges from words to synsets. */
  readonly senses: number;
  /** Edges between synsets: all pointers of one type from one synset to another are one edge. */
  readonly relations: number;
  /** Pointers as the files count them. */
  readonly pointers: number;
  readonly operations: number;
}

export interface WordnetOperations extends Iterable<WordnetOperation> {
  readonly totals: WordnetTotals;
  readonly synsets: readonly Synset[];
}

/**
 * WordNet as operations, in dependency order: synsets, words, then the edges between them. The
 * dictionary is read at once (about a second); the operations are made while one iterates, which
 * may be done again. Each is idempotent.
 */
export function wordnetOperations(dictFolder: string): WordnetOperations {
  const dictionary = readDictionary(dictFolder);
  const words = new Set(dictionary.synsets.flatMap((synset) => synset.lemmas));
  const totals = count(dictionary, words.size);
  const { synsets } = dictionary;
  return { totals, synsets, [Symbol.iterator]: () => generate(synsets, words) };
}

function count(dictionary: Dictionary, words: number): WordnetTotals {
  const synsets = dictionary.synsets.length;
  let senses = 0;
  let relations = 0;
  for (const synset of dictionary.synsets) {
    senses += synset.lemmas.length;
    relations += synset.relations.length;
  }
  return {
    synsets,
    words,
    senses,
    relations,
    pointers: dictionary.pointers,
    operations: synsets + words + senses + relations,
  };
}

function* generate(
  synsets: readonly Synset[],
  words: Iterable<string>,
): Generator<WordnetOperation, void, undefined> {
  for (const synset of synsets) {
    yield { op: 'addOrUpdate', type: 'Synset', key: synset.key, fields: synsetFields(synset) };
  }
  for (const word of words) yield { op: 'addOrUpdate', type: 'Word', key: word, fields: {} };
  for (const synset of synsets) yield* senseLinks(synset);
  for (const synset of synsets) yield* relationLinks(synset);
}

function* senseLinks(synset: Synset): Generator<WordnetOperation, void, undefined> {
  for (const [index, lemma] of synset.lemmas.entries()) {
    const sense = synset.senses[index];
    yield {
      op: 'link',
      from: { type: 'Word', key: lemma },
      edge: 'HasSense',
      to: { type: 'Synset', key: synset.key },
      fields: {
        SenseNumber: sense?.senseNumber,
        TagCount: sense?.tagCount,
        SenseKey: sense?.senseKey,
      },
    };
  }
}

function* relationLinks(synset: Synset): Generator<WordnetOperation, void, undefined> {
  for (const { edge, target, sourceWords, targetWords } of synset.relations) {
    const from = { type: 'Synset', key: synset.key };
    const to = { type: 'Synset', key: target };
    if (sourceWords.length === 0) yield { op: 'link', from, edge, to };
    else {
      const fields = { SourceWords: sourceWords, TargetWords: targetWords };
      yield { op: 'link', from, edge, to, fields };
    }
  }
}

function synsetFields(synset: Synset): Record<string, unknown> {
  const { definition, examples } = splitGloss(synset.gloss);
  const fields: Record<string, unknown> = {
    Name: synset.lemmas[0],
    Pos: synset.pos,
    Lemmas: synset.lemmas,
    Definition: definition,
    Gloss: synset.gloss,
    LexFile: synset.lexFile,
  };
  if (examples.length > 0) fields['Examples'] = examples;
  return fields;
}

/**
 * A gloss is a definition, then examples in quotation marks; a quotation inside the definition
 * follows no `; `.
 */
export function splitGloss(gloss: string): { definition: string; examples: string[] } {
  const start = gloss.search(/[;:] "/);
  if (start < 0) return { definition: gloss, examples: [] };
  const examples = gloss
    .slice(start)
    .matchAll(/"([^"]*)"/g)
    .map((match) => match[1] ?? '');
  return { definition: gloss.slice(0, start), examples: [...examples] };
}
