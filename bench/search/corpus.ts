import { installedDictFolder } from '../../samples/wordnet/dictionary.ts';
import { wordnetOperations } from '../../samples/wordnet/operations.ts';
import { seededRandom } from '../../test/support/seeded-random.ts';

/** A text to be found: a synset of WordNet, or two of them mixed. */
export interface BenchDocument {
  readonly names: string;
  readonly gloss: string;
  readonly pos: string;
  readonly lexFile: string;
}

export interface Corpus {
  readonly name: string;
  readonly size: number;
  /** The same document whenever it is asked for: a million of them are not kept. */
  document(index: number): BenchDocument;
}

/** The documents of the large corpus for each one of WordNet. */
const COPIES = 9;

export function wordnetCorpus(): Corpus {
  const documents = [...wordnetOperations(installedDictFolder()).synsets].map((synset) => ({
    names: synset.lemmas.join(', '),
    gloss: synset.gloss,
    pos: synset.pos,
    lexFile: synset.lexFile,
  }));
  return {
    name: 'WordNet',
    size: documents.length,
    document: (index) => documents[index] ?? fail(index),
  };
}

/**
 * WordNet, and then documents with the beginning of one gloss, the end of another, and the names of
 * both: words are as frequent as in WordNet, and stand beside each other as they do there.
 */
export function mixedCorpus(wordnet: Corpus): Corpus {
  const mixed = (index: number): BenchDocument => {
    const random = seededRandom(index);
    const pick = (): BenchDocument => wordnet.document(Math.floor(random() * wordnet.size));
    const [first, second] = [pick(), pick()];
    const [begin] = halves(first.gloss);
    const [, end] = halves(second.gloss);
    return { ...first, names: `${first.names}, ${second.names}`, gloss: `${begin} ${end}` };
  };
  return {
    name: 'WordNet mixed',
    size: wordnet.size * COPIES,
    document: (index) => (index < wordnet.size ? wordnet.document(index) : mixed(index)),
  };
}

const BATCH = 10_000;

/** How many seconds `visit` takes for all documents; making them does not count. */
export function timeOver(
  corpus: Corpus,
  visit: (document: BenchDocument, index: number) => void,
): number {
  let ms = 0;
  for (let from = 0; from < corpus.size; from += BATCH) {
    const length = Math.min(BATCH, corpus.size - from);
    const documents = Array.from({ length }, (_, i) => corpus.document(from + i));
    const started = performance.now();
    documents.forEach((document, i) => visit(document, from + i));
    ms += performance.now() - started;
  }
  return ms / 1_000;
}

function halves(text: string): [string, string] {
  const words = text.split(' ');
  const middle = words.length >>> 1;
  return [words.slice(0, middle).join(' '), words.slice(middle).join(' ')];
}

function fail(index: number): never {
  throw new Error(`no document ${index}`);
}
