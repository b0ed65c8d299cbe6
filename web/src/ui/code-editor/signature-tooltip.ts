import { type Extension, StateEffect, StateField } from '@codemirror/state';
import {
  type EditorView,
  keymap,
  showTooltip,
  type Tooltip,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import type { SignatureHelp } from '@trellis/contract/shapes/editor.ts';
import { placeOf } from './code-places.ts';
import type { EditorServices } from './editor-services.ts';
import { toldElement } from './told-element.ts';

const DELAY_MS = 100;

const show = StateEffect.define<Tooltip | null>();

const shown = StateField.define<Tooltip | null>({
  create: () => null,
  update: (tooltip, transaction) => {
    for (const effect of transaction.effects) if (effect.is(show)) return effect.value;
    if (tooltip === null) return null;
    return { ...tooltip, pos: transaction.changes.mapPos(tooltip.pos) };
  },
  provide: (field) => showTooltip.from(field),
});

/**
 * The parameters of the call around the cursor: from "(" on, until the call is left or Escape is
 * pressed.
 */
export function signatureTooltip(services: EditorServices): Extension {
  const plugin = ViewPlugin.define((view) => new SignatureRequests(view, services));
  return [
    shown,
    plugin,
    keymap.of([
      {
        key: 'Ctrl-Shift-Space',
        run: (view) => {
          view.plugin(plugin)?.ask();
          return true;
        },
      },
      {
        key: 'Escape',
        run: (view) => {
          if (view.state.field(shown) === null) return false;
          view.dispatch({ effects: show.of(null) });
          return true;
        },
      },
    ]),
  ];
}

class SignatureRequests {
  readonly #view: EditorView;
  readonly #services: EditorServices;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = new AbortController();

  constructor(view: EditorView, services: EditorServices) {
    this.#view = view;
    this.#services = services;
  }

  update(update: ViewUpdate): void {
    const isOpen = update.state.field(shown) !== null;
    if (update.docChanged ? isOpen || opensCall(update) : isOpen && update.selectionSet) this.ask();
  }

  destroy(): void {
    clearTimeout(this.#timer);
    this.#asked.abort();
  }

  ask(): void {
    clearTimeout(this.#timer);
    this.#asked.abort();
    this.#asked = new AbortController();
    const { signal } = this.#asked;
    this.#timer = setTimeout(() => void this.#request(signal), DELAY_MS);
  }

  async #request(signal: AbortSignal): Promise<void> {
    const position = this.#view.state.selection.main.head;
    try {
      const place = placeOf(this.#view.state, position);
      const told = await this.#services.signatureHelp(place, { signal });
      if (signal.aborted) return;
      this.#view.dispatch({ effects: show.of(told === null ? null : tooltipOf(told, position)) });
    } catch (error) {
      if (!signal.aborted) this.#services.onTrouble(error);
    }
  }
}

function opensCall({ transactions }: ViewUpdate): boolean {
  return transactions.some((transaction) => {
    if (!transaction.isUserEvent('input')) return false;
    let isOpened = false;
    transaction.changes.iterChanges((_fromA, _toA, _fromB, _toB, inserted) => {
      if (/[(,]/.test(inserted.toString())) isOpened = true;
    });
    return isOpened;
  });
}

function tooltipOf(told: NonNullable<SignatureHelp>, pos: number): Tooltip | null {
  const signature = told.signatures[told.activeSignature];
  if (signature === undefined) return null;
  const parameter = signature.parameters[told.activeParameter];
  const text = parameter?.documentation ?? signature.documentation;
  const dom = () => toldElement(signature.label, text, parameter?.label);
  return { pos, above: true, create: () => ({ dom: dom() }) };
}
