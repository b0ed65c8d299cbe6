import { setImmediate } from 'node:timers/promises';
import { SEARCH_BUILD_PAUSE_NODES } from '#base/search-limits.ts';
import type { StateReader } from '#graph/state-reader.ts';
import type { IndexPlan } from '../settings/index-plan.ts';
import { SegmentBuilder } from '../text/segment-builder.ts';
import type { TextIndexLimits } from '../text/text-index.ts';
import { documentOf } from './node-document.ts';
import type { Analyzers } from '../analysis/language-analyzer.ts';

/** Nodes that are to become segments, in any thread. */
export interface BuildTask {
  readonly nodes: Float64Array;
  /** How their documents are made, by the number of the type. A node of another type has none. */
  readonly types: IndexPlan['types'];
}

/** What became of the next `nodeCount` nodes of a task; no segment where none of them has a document. */
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
 * The segments of a task, one after the other. Nodes are read as they are now, and between some of them it lets the thread do
 * something else: until then the reader stands at one commit, whose pages the store has to keep.
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
