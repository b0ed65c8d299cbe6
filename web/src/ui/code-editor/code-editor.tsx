import { setDiagnostics } from '@codemirror/lint';
import { Compartment, type Extension, Prec } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import type { Diagnostic } from '@trellis/contract/shapes/endpoint.ts';
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import { useIsDark } from '../../app/theme.ts';
import { classNames } from '../class-names.ts';
import { READ_ONLY, READING, WRITING } from './base-extensions.ts';
import { EchoedValues } from './echoed-values.ts';
import { type EditorLanguage, languageOf } from './editor-language.ts';
import { marksOf, nameAt, positionOf } from './code-places.ts';
import type { EditorServices } from './editor-services.ts';
import { editorTheme } from './editor-theme.ts';
import { requestCheck, serviceExtensions } from './service-extensions.ts';
import { useShadowRoot } from './shadow-host.ts';

export interface CodeEditorHandle {
  focus(): void;
  /** Puts the cursor there and shows it; lines and columns start at 1. */
  goTo(place: { readonly line: number; readonly column: number }): void;
  /** Puts another name in the place of the one that begins there, in quotes or not. */
  replaceName(place: { readonly line: number; readonly column: number }, name: string): void;
  /** Marks these until the code changes or is checked again. */
  showDiagnostics(diagnostics: readonly Diagnostic[]): void;
  /** Asks the services for diagnostics although the code is the same. */
  check(): void;
}

export interface CodeEditorProps {
  /** What is edited: read out as the name of the text field. */
  readonly label: string;
  readonly value: string;
  readonly onChange?: ((value: string) => void) | undefined;
  readonly language?: EditorLanguage;
  readonly isReadOnly?: boolean;
  /** The one that the editor begins with stays. */
  readonly services?: EditorServices | undefined;
  /** Ctrl+S, or Command+S; with the text of that moment, which `value` may not have come to yet. */
  readonly onSave?: ((value: string) => void) | undefined;
  /** Ctrl+Enter, or Command+Enter. */
  readonly onRun?: ((value: string) => void) | undefined;
  /** Gives the height, such as "h-96". */
  readonly className?: string;
  readonly handle?: Ref<CodeEditorHandle>;
}

/** What belongs to one editor for as long as it is there. */
class Parts {
  readonly theme = new Compartment();
  readonly mode = new Compartment();
  readonly label = new Compartment();
  readonly echoed = new EchoedValues();
}

/** A text field for code, in a shadow root. Tab indents in it; Escape, then Tab, leaves it. */
export function CodeEditor(props: CodeEditorProps) {
  const { value, isReadOnly = false, label, className, handle } = props;
  const view = useRef<EditorView>(null);
  const parts = useRef<Parts>(null);
  parts.current ??= new Parts();
  const latest = useRef(props);
  latest.current = props;
  const isDark = useIsDark();
  const host = useShadowRoot((parent, root) => {
    const created = new EditorView({
      parent,
      root,
      doc: latest.current.value,
      extensions: extensionsOf(latest, parts.current ?? new Parts(), isDark),
    });
    view.current = created;
    return () => {
      created.destroy();
      view.current = null;
    };
  });
  useEffect(() => {
    const { theme, mode, label: name } = parts.current ?? new Parts();
    view.current?.dispatch({
      effects: [
        theme.reconfigure(editorTheme(isDark)),
        mode.reconfigure(isReadOnly ? READ_ONLY : WRITING),
        name.reconfigure(named(label, isReadOnly)),
      ],
    });
  }, [isDark, isReadOnly, label]);
  useEffect(() => {
    const { current } = view;
    const isTyped = parts.current?.echoed.isEcho(value) === true;
    if (current !== null && !isTyped) replaceText(current, value);
  }, [value]);
  useImperativeHandle(handle, () => handleOf(() => view.current), []);
  return (
    <div
      ref={host}
      className={classNames(
        'min-w-0 overflow-hidden bg-surface p-0.5 focus-within:bg-accent',
        className ?? 'h-64',
      )}
    />
  );
}

function extensionsOf(
  latest: { readonly current: CodeEditorProps },
  parts: Parts,
  isDark: boolean,
): Extension {
  const { language = 'typescript', services, isReadOnly, label } = latest.current;
  return [
    keysOf(latest),
    parts.theme.of(editorTheme(isDark)),
    parts.mode.of(isReadOnly === true ? READ_ONLY : WRITING),
    parts.label.of(named(label, isReadOnly === true)),
    languageOf(language),
    ...(services === undefined ? [] : [serviceExtensions(services)]),
    READING,
    EditorView.updateListener.of(({ docChanged, state, transactions }) => {
      if (!docChanged || transactions.some((transaction) => transaction.isUserEvent('replaced')))
        return;
      const value = state.doc.toString();
      parts.echoed.typed(value);
      latest.current.onChange?.(value);
    }),
  ];
}

function keysOf(latest: { readonly current: CodeEditorProps }): Extension {
  const press = (action: 'onSave' | 'onRun') => (view: EditorView) => {
    const run = latest.current[action];
    run?.(view.state.doc.toString());
    return run !== undefined;
  };
  return Prec.highest(
    keymap.of([
      { key: 'Mod-s', run: press('onSave') },
      { key: 'Mod-Enter', run: press('onRun') },
    ]),
  );
}

/**
 * Those who cannot see what is below the editor are told, too, how one leaves it by keyboard (WCAG
 * 2.2, 2.1.2).
 */
function named(label: string, isReadOnly: boolean): Extension {
  const leaving = 'Tab indents. Press Escape, then Tab, to leave the editor.';
  return EditorView.contentAttributes.of({
    'aria-label': label,
    tabindex: '0',
    ...(!isReadOnly && { 'aria-description': leaving }),
  });
}

/**
 * A text from outside; the cursor stays where it was as far as it can, and the change can be
 * undone.
 */
function replaceText(view: EditorView, text: string): void {
  if (view.state.doc.toString() === text) return;
  view.dispatch({
    changes: { from: 0, to: view.state.doc.length, insert: text },
    selection: { anchor: Math.min(view.state.selection.main.head, text.length) },
    userEvent: 'replaced',
  });
}

function handleOf(find: () => EditorView | null): CodeEditorHandle {
  return {
    focus: () => find()?.focus(),
    goTo: (place) => {
      const view = find();
      if (view === null) return;
      const anchor = positionOf(view.state.doc, place);
      view.dispatch({
        selection: { anchor },
        effects: EditorView.scrollIntoView(anchor, { y: 'center' }),
      });
      view.focus();
    },
    replaceName: (place, name) => {
      const view = find();
      const range = view === null ? undefined : nameAt(view.state.doc, place);
      if (range === undefined) return;
      view?.dispatch({ changes: { ...range, insert: name }, userEvent: 'input.complete' });
      view?.focus();
    },
    showDiagnostics: (diagnostics) => {
      const view = find();
      view?.dispatch(setDiagnostics(view.state, marksOf(view.state.doc, diagnostics)));
    },
    check: () => {
      const view = find();
      if (view !== null) requestCheck(view);
    },
  };
}
