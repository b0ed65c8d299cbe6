import { MergeView, unifiedMergeView } from '@codemirror/merge';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useIsDark } from '../../app/theme.ts';
import { classNames } from '../class-names.ts';
import { READ_ONLY, READING } from './base-extensions.ts';
import { type EditorLanguage, languageOf } from './editor-language.ts';
import { editorTheme } from './editor-theme.ts';
import { useShadowRoot } from './shadow-host.ts';

export interface CodeText {
  /** "Version 3": read out as the name of its text field. */
  readonly label: string;
  readonly text: string;
}

interface CodeDiffProps {
  readonly before: CodeText;
  readonly after: CodeText;
  readonly language?: EditorLanguage;
  /** Side by side needs room: on a narrow screen use "unified". */
  readonly layout?: 'unified' | 'side-by-side';
  /** Gives the height, such as "h-96". */
  readonly className?: string;
}

/** Lines around what differs; the others are folded away until somebody asks for them. */
const COLLAPSE = { margin: 3, minSize: 6 } as const;

/** What differs between two texts, for reading. */
export function CodeDiff(props: CodeDiffProps) {
  const isDark = useIsDark();
  const { before, after, layout = 'unified', language = 'typescript' } = props;
  // The key has everything that it is made of: it is small, and made again when that changes.
  const key = JSON.stringify([before, after, layout, language, isDark]);
  return <Difference key={key} {...props} isDark={isDark} />;
}

function Difference(props: CodeDiffProps & { readonly isDark: boolean }) {
  const { before, after, className } = props;
  const host = useShadowRoot((parent, root) => {
    const view =
      props.layout === 'side-by-side'
        ? sideBySide(props, parent, root)
        : unified(props, parent, root);
    return () => view.destroy();
  });
  const isUnified = props.layout !== 'side-by-side';
  return (
    <div className={classNames('flex min-w-0 flex-col overflow-hidden', className)}>
      <p
        aria-hidden
        className="grid shrink-0 grid-cols-2 gap-4 border-b bg-sunken px-3 py-1 text-[13px] text-muted"
      >
        <span className="truncate">{isUnified ? `− ${before.label}` : before.label}</span>
        <span className="truncate">{isUnified ? `+ ${after.label}` : after.label}</span>
      </p>
      <div
        ref={host}
        role="group"
        aria-label={`What differs between ${before.label} and ${after.label}`}
        className="min-h-0 overflow-auto"
      />
    </div>
  );
}

type DifferenceProps = CodeDiffProps & { readonly isDark: boolean };

function unified(props: DifferenceProps, parent: HTMLElement, root: ShadowRoot): EditorView {
  const { before, after } = props;
  return new EditorView({
    parent,
    root,
    doc: after.text,
    extensions: [
      ...common(props, `${after.label}, with what ${before.label} had`),
      unifiedMergeView({
        original: before.text,
        mergeControls: false,
        collapseUnchanged: COLLAPSE,
      }),
    ],
  });
}

function sideBySide(props: DifferenceProps, parent: HTMLElement, root: ShadowRoot): MergeView {
  const side = ({ label, text }: CodeText) => ({ doc: text, extensions: common(props, label) });
  return new MergeView({
    parent,
    root,
    a: side(props.before),
    b: side(props.after),
    collapseUnchanged: COLLAPSE,
  });
}

function common({ language = 'typescript', isDark }: DifferenceProps, label: string): Extension[] {
  return [
    editorTheme(isDark),
    languageOf(language),
    READING,
    READ_ONLY,
    EditorState.changeFilter.of(() => false),
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
  ];
}
