import { ANY_LANGUAGE } from '@trellis/contract/languages.ts';
import { setImmediate } from 'node:timers/promises';
import {
  SEARCH_BUILD_PAUSE_NODES,
  SEARCH_FACET_VALUE_CHARACTERS_MAX,
} from '#base/search-limits.ts';
import type { StateReader } from '#graph/state-reader.ts';
import type { IndexPlan, PlannedFacet, PlannedText, PlannedType } from '../settings/index-plan.ts';
import {
  type FacetValues,
  type FieldText,
  type IndexedDocument,
  SegmentBuilder,
} from '../text/segment-builder.ts';
import type { TextIndexLimits } from '../text/text-index.ts';
import type { Analyzers } from '../analysis/language-analyzer.ts';
import type { NodeRecord } from '#graph/node-record.ts';
import type { NodeType } from '#graph/schema-registry.ts';
import type { Token } from '../analysis/analyzer.ts';
import { foldedNames } from '../analysis/fold-name.ts';
import { detectLanguage } from '../analysis/detect-language.ts';
import { AUTO_LANGUAGE } from '../settings/search-settings.ts';

/** Nodes to make segments of, in any thread. */
export interface BuildTask {
  readonly nodes: Float64Array;
  /** How documents are made, by the number of the type. A node of another type has none. */
  readonly types: IndexPlan['types'];
}

/**
 * The result for the next `nodeCount` nodes of a task; no segment if none of them has a document.
 */
export interface BuiltSegment {
  readonly nodeCount: number;
  readonly memory: SharedArrayBuffer | undefined;
}

export interface BuildPorts {
  readonly reader: StateReader;
  readonly analyzers: Analyzers;
  readonly limits: Pick<TextIndexLimits, 'waitingDocumentsMax' | 'waitingTokensMax'>;
}

/**
 * Makes the segments of a task. Reads nodes as they are now, and yields the thread from time to
 * time: otherwise the reader would hold pages of one commit in the store.
 */
export async function* buildSegments(
  { nodes, types }: BuildTask,
  { reader, analyzers, limits }: BuildPorts,
  signal: AbortSignal,
): AsyncGenerator<BuiltSegment, void> {
  let builder = new SegmentBuilder();
  let from = 0;
  for (let at = 0; at < nodes.length; at++) {
    if (at % SEARCH_BUILD_PAUSE_NODES === 0) {
      await setImmediate();
      signal.throwIfAborted();
      reader.refresh();
    }
    const node = nodes[at]!;
    const document = documentOf(node, reader.record(node), { reader, types, analyzers });
    if (document !== undefined) builder.add(document);
    if (isFull(builder, limits)) {
      yield { nodeCount: at + 1 - from, memory: builder.finish() };
      builder = new SegmentBuilder();
      from = at + 1;
    }
  }
  const memory = builder.documentCount === 0 ? undefined : builder.finish();
  if (from < nodes.length) yield { nodeCount: nodes.length - from, memory };
}

function isFull(
  { documentCount, tokenCount }: SegmentBuilder,
  { waitingDocumentsMax, waitingTokensMax }: BuildPorts['limits'],
): boolean {
  return documentCount >= waitingDocumentsMax || tokenCount >= waitingTokensMax;
}

/** Between two values of one field, so that no phrase spans them. */
const VALUE_GAP = 100;
/** How much of a text is read to detect its language. */
const DETECTED_CHARACTERS = 2_000;

interface DocumentParts {
  readonly reader: StateReader;
  readonly types: IndexPlan['types'];
  readonly analyzers: Analyzers;
}

/** How a node is searched; undefined when it is not. */
export function plannedFor(
  record: NodeRecord | undefined,
  { reader, types }: Pick<DocumentParts, 'reader' | 'types'>,
): PlannedType | undefined {
  const planned = record && types.get(record.typeId);
  if (record === undefined || planned?.needs === undefined) return planned;
  const needed = record.valueByName(reader.nodeTypeOf(record), planned.needs);
  return needed === undefined ? undefined : planned;
}

/** What the index keeps of a node with this record; undefined if the node is not searched. */
export function documentOf(
  id: number,
  record: NodeRecord | undefined,
  parts: DocumentParts,
): IndexedDocument | undefined {
  const planned = plannedFor(record, parts);
  if (record === undefined || planned === undefined) return undefined;
  const type = parts.reader.nodeTypeOf(record);
  const texts = planned.texts.map((text) => ({
    text,
    values: textsOf(record.valueByName(type, text.name)),
  }));
  const language = languageOf(texts);
  return {
    node: id,
    type: record.typeId,
    timestampMs: record.timestampMs,
    language,
    fields: texts
      .filter(({ values }) => values.length > 0)
      .map(({ text, values }) => fieldText(text, values, language, parts.analyzers))
      .toSorted((a, b) => a.field - b.field),
    names: planned.names.map(({ field, name, isKey }) => ({
      field,
      names: foldedNames(textsOf(isKey ? record.key : record.valueByName(type, name))),
    })),
    facets: facetsOf(record, type, planned.facets),
  };
}

interface TextValues {
  readonly text: PlannedText;
  readonly values: readonly string[];
}

/** The language of the whole document; detected if its fields do not name it. */
function languageOf(texts: readonly TextValues[]): string {
  const [first] = texts;
  if (first === undefined) return ANY_LANGUAGE;
  if (first.text.language !== AUTO_LANGUAGE) return first.text.language;
  let sample = '';
  for (const { values } of texts) {
    for (const value of values) {
      if (sample.length >= DETECTED_CHARACTERS) break;
      sample += `${value.slice(0, DETECTED_CHARACTERS)}\n`;
    }
  }
  return detectLanguage(sample);
}

function fieldText(
  { field, boost, language: own }: PlannedText,
  values: readonly string[],
  detected: string,
  analyzers: Analyzers,
): FieldText {
  const analyzer = analyzers.for(own === AUTO_LANGUAGE ? detected : own);
  const tokens: Token[] = [];
  let base = 0;
  for (const value of values) {
    let last = -1;
    analyzer.analyzeDocument(value, (token) => {
      last = token.position;
      tokens.push(base === 0 ? token : { ...token, position: base + token.position });
    });
    base += last + 1 + VALUE_GAP;
  }
  return { field, boost, tokens };
}

function facetsOf(
  record: NodeRecord,
  type: NodeType,
  facets: readonly PlannedFacet[],
): FacetValues[] {
  const columns: FacetValues[] = [];
  for (const { name, column } of facets) {
    const value = record.valueByName(type, name);
    // Most nodes have one text here: this spares them `facetValues`.
    const values = typeof value === 'string' ? [value] : facetValues(value);
    const counted = values.filter((one) => one.length <= SEARCH_FACET_VALUE_CHARACTERS_MAX);
    if (counted.length > 0) columns.push({ column, values: counted });
  }
  return columns.length < 2 ? columns : columns.toSorted((a, b) => a.column - b.column);
}

function facetValues(value: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return [...new Set(values.filter((one) => one !== undefined && one !== null).map(String))];
}

function textsOf(value: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((one): one is string => typeof one === 'string' && one !== '');
}
