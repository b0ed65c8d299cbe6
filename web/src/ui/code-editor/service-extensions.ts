import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { linter, type Diagnostic as Mark } from '@codemirror/lint';
import { type EditorState, type Extension, StateEffect } from '@codemirror/state';
import { type EditorView, hoverTooltip, type Tooltip } from '@codemirror/view';
import type { Completions } from '@trellis/contract/shapes/editor.ts';
import { marksOf, placeOf, positionOf } from './code-places.ts';
import type { EditorServices } from './editor-services.ts';
import { signatureTooltip } from './signature-tooltip.ts';
import { toldElement } from './told-element.ts';

const DIAGNOSTICS_DELAY_MS = 400;
const HOVER_DELAY_MS = 300;
/**
 * The best of the server's items by how many they are ahead of the last one; CodeMirror takes -99
 * to 99.
 */
const BOOST_MAX = 99;

/** Asks again without a change of the code, for example after a change of the scope. */
const checkAgain = StateEffect.define<null>();

export function requestCheck(view: EditorView): void {
  view.dispatch({ effects: checkAgain.of(null) });
}

/** Completion, hover, signature help and diagnostics, all from the same source. */
export function serviceExtensions(services: EditorServices): Extension {
  return [
    autocompletion({ override: [(context) => complete(services, context)], icons: false }),
    hoverTooltip((view, position) => hovered(services, view, position), {
      hoverTime: HOVER_DELAY_MS,
    }),
    signatureTooltip(services),
    // CodeMirror leaves an answer out when the code has changed since it was asked.
    linter((view) => diagnose(services, view.state), {
      delay: DIAGNOSTICS_DELAY_MS,
      needsRefresh: (update) =>
        update.transactions.some(({ effects }) => effects.some((effect) => effect.is(checkAgain))),
    }),
  ];
}

async function diagnose(services: EditorServices, state: EditorState): Promise<Mark[]> {
  try {
    const diagnostics = await services.diagnostics(state.doc.toString());
    services.onTrouble(undefined);
    return marksOf(state.doc, diagnostics);
  } catch (error) {
    services.onTrouble(error);
    return [];
  }
}

async function complete(
  services: EditorServices,
  context: CompletionContext,
): Promise<CompletionResult | null> {
  const word = context.matchBefore(/[\w$]*$/);
  const from = word?.from ?? context.pos;
  const before = context.state.sliceDoc(Math.max(0, from - 1), from);
  // Unasked: within a word, after a dot, and at the beginning of a text, where names of the schema
  // stand.
  if (!context.explicit && from === context.pos && !/[.'"`]/.test(before)) return null;
  const stopped = new AbortController();
  context.addEventListener('abort', () => stopped.abort(), { onDocChange: true });
  try {
    const place = placeOf(context.state, context.pos);
    const { items, isIncomplete } = await services.completions(place, { signal: stopped.signal });
    const options = items.map((item, at) => optionOf(item, at));
    return { from, options, ...(isIncomplete ? {} : { validFor: /^[\w$]*$/ }) };
  } catch (error) {
    if (!stopped.signal.aborted) services.onTrouble(error);
    return null;
  }
}

/** The kinds that CodeMirror has styles and names for. */
const KINDS: Readonly<Record<string, string>> = {
  constructor: 'class',
  field: 'property',
  module: 'namespace',
  value: 'constant',
  enumMember: 'enum',
  typeParameter: 'type',
};

function optionOf(item: Completions['items'][number], at: number): Completion {
  const { label, kind, detail, documentation, insertText } = item;
  const info = [detail, documentation].filter((text) => text !== undefined);
  return {
    label,
    type: KINDS[kind] ?? kind,
    boost: Math.max(-BOOST_MAX, BOOST_MAX - at),
    ...(insertText !== undefined && { apply: insertText }),
    ...(info.length > 0 && { info: () => toldElement(detail, documentation) }),
  };
}

async function hovered(
  services: EditorServices,
  view: EditorView,
  position: number,
): Promise<Tooltip | null> {
  try {
    const told = await services.hover(placeOf(view.state, position));
    if (told === null) return null;
    const { doc } = view.state;
    return {
      pos: positionOf(doc, told.range.start),
      end: positionOf(doc, told.range.end),
      above: true,
      create: () => ({ dom: toldElement(told.contents, told.documentation) }),
    };
  } catch (error) {
    services.onTrouble(error);
    return null;
  }
}
