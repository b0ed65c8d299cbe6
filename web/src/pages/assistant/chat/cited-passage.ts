import type { ChatMessage } from '@trellis/contract/shapes/chat.ts';

/** A part of a fact; it is marked when it is what the answer says. */
export interface PassagePart {
  readonly text: string;
  readonly isMarked: boolean;
}

/** A field as the model read it. */
export interface CitedField {
  /** Empty for a text without fields. */
  readonly name: string;
  readonly parts: readonly PassagePart[];
}

const SENTENCES = new Intl.Segmenter(undefined, { granularity: 'sentence' });
const WORDS = new Intl.Segmenter(undefined, { granularity: 'word' });
/**
 * A sentence of a field is marked when the answer has this share of its words, or so many of them
 * one after the other.
 */
const SHARED_MIN = 0.5;
const RUN_WORDS_MIN = 3;

/** What the answers of a conversation say with a citation: the words before each `[id]`. */
export function sentencesCiting(messages: readonly ChatMessage[], id: number): readonly string[] {
  return messages.flatMap((message) => {
    if (message.role !== 'assistant' || !message.citations.some((one) => one.id === id)) return [];
    // A row of a table and an item of a list are lines, which end what is said before.
    return message.text.split('\n').flatMap((line) => {
      const before = line.split(`[${id}]`).slice(0, -1);
      return before.map((_, at) => lastSentence(before.slice(0, at + 1).join('')));
    });
  });
}

function lastSentence(text: string): string {
  const plain = text.replaceAll(/\[\d{1,6}\]|[*_`|#]/g, ' ').trimEnd();
  return [...SENTENCES.segment(plain)].at(-1)?.segment ?? '';
}

/**
 * The fields of a fact, which are lines such as `Title: The Ark`, with those sentences marked that
 * the answer repeats for the most part.
 */
export function citedFields(fact: string, said: readonly string[]): readonly CitedField[] {
  const words = said.map(wordsOf);
  const fields = fieldsOf(fact).map(({ name, text }) => ({
    name,
    parts: [...SENTENCES.segment(text)].map(({ segment }) => partOf(segment, words)),
  }));
  const marked = markedOf(fields.flatMap(({ parts }) => parts));
  return fields.map(({ name, parts }) => ({
    name,
    parts: parts.map((part) => ({ text: part.text, isMarked: marked.has(part) })),
  }));
}

interface ComparedPart {
  readonly text: string;
  readonly isClose: boolean;
  /** Its words that the answer says too. */
  readonly shared: ReadonlySet<string>;
}

function partOf(text: string, said: readonly (readonly string[])[]): ComparedPart {
  const words = wordsOf(text);
  const own = new Set(words);
  const shared = own.intersection(new Set(said.flat()));
  const isSaid = shared.size > 0 && shared.size / own.size >= SHARED_MIN;
  return { text, isClose: isSaid || said.some((other) => haveRun(words, other)), shared };
}

function haveRun(words: readonly string[], others: readonly string[]): boolean {
  const runs = new Set(runsOf(others));
  return runsOf(words).some((run) => runs.has(run));
}

function runsOf(words: readonly string[]): readonly string[] {
  return words
    .slice(RUN_WORDS_MIN - 1)
    .map((_, at) => words.slice(at, at + RUN_WORDS_MIN).join(' '));
}

/** Those with most words first; one that only repeats their words says nothing more. */
function markedOf(parts: readonly ComparedPart[]): ReadonlySet<ComparedPart> {
  const close = parts.filter(({ isClose }) => isClose);
  const marked = new Set<ComparedPart>();
  const found = new Set<string>();
  for (const part of close.toSorted((a, b) => b.shared.size - a.shared.size)) {
    if (part.shared.isSubsetOf(found)) continue;
    marked.add(part);
    for (const word of part.shared) found.add(word);
  }
  return marked;
}

/** A value may have several lines, of which those after the first have no name. */
function fieldsOf(fact: string): readonly { readonly name: string; readonly text: string }[] {
  const fields: { name: string; text: string }[] = [];
  for (const line of fact.split('\n')) {
    const [, name, text] = /^([\p{L}_][\p{L}\p{N}_]*): (.*)$/u.exec(line) ?? [];
    const last = fields.at(-1);
    if (name !== undefined && text !== undefined) fields.push({ name, text });
    else if (last === undefined) fields.push({ name: '', text: line });
    else last.text += `\n${line}`;
  }
  return fields;
}

function wordsOf(text: string): readonly string[] {
  return [...WORDS.segment(text.toLowerCase())]
    .filter(({ isWordLike }) => isWordLike === true)
    .map(({ segment }) => segment);
}
