import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/**
 * The tokens of the page come through the shadow root as custom properties, so one theme serves
 * light and dark.
 */
const COLORS = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword], color: 'var(--color-series-4)' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'var(--color-series-1)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--color-series-2)' },
  { tag: [tags.typeName, tags.className, tags.namespace], color: 'var(--color-series-6)' },
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--color-series-3)' },
  { tag: tags.function(tags.variableName), color: 'var(--color-series-8)' },
  { tag: tags.comment, color: 'var(--color-muted)', fontStyle: 'italic' },
  { tag: tags.invalid, color: 'var(--color-danger)' },
]);

const control = {
  border: '1px solid var(--color-line-strong)',
  borderRadius: 'var(--radius-control)',
  background: 'var(--color-surface)',
  color: 'var(--color-ink)',
  font: 'inherit',
};

const SURFACES = {
  '&': {
    height: '100%',
    fontSize: '13px',
    color: 'var(--color-ink)',
    backgroundColor: 'var(--color-surface)',
  },
  // The frame around it shows the focus: an outline here would lie below the gutter.
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--color-ink)', padding: '8px 0' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--color-ink)' },
  '.cm-gutters': {
    backgroundColor: 'var(--color-surface)',
    color: 'var(--color-faint)',
    borderRight: '1px solid var(--color-line)',
  },
  '.cm-activeLine': {
    backgroundColor: 'color-mix(in srgb, var(--color-sunken) 60%, transparent)',
  },
  '.cm-activeLineGutter': { backgroundColor: 'var(--color-sunken)', color: 'var(--color-muted)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground':
    { background: 'color-mix(in srgb, var(--color-info) 25%, transparent)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--color-info-soft)' },
  '.cm-searchMatch': { backgroundColor: 'var(--color-mark)' },
  '.cm-searchMatch-selected': { outline: '1px solid var(--color-warning)' },
  '&.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--color-accent-soft)',
    outline: '1px solid var(--color-accent)',
  },
  '.cm-foldPlaceholder': {
    background: 'var(--color-sunken)',
    border: '1px solid var(--color-line-strong)',
    color: 'var(--color-muted)',
  },
};

const PANELS = {
  '.cm-panels': { backgroundColor: 'var(--color-sunken)', color: 'var(--color-ink)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--color-line)' },
  '.cm-panels.cm-panels-bottom': { borderTop: '1px solid var(--color-line)' },
  '.cm-panel.cm-search': { padding: '6px 32px 6px 8px', fontFamily: 'var(--font-sans)' },
  '.cm-panel.cm-search input[type=checkbox]': { accentColor: 'var(--color-accent)' },
  '.cm-panel.cm-search label': { fontSize: '13px' },
  '.cm-panel.cm-search [name=close]': { fontSize: '20px', color: 'var(--color-muted)' },
  '.cm-textfield': { ...control, padding: '3px 6px', fontSize: '13px' },
  '.cm-button': { ...control, backgroundImage: 'none', padding: '3px 8px', fontSize: '13px' },
  '.cm-button:hover': { background: 'var(--color-canvas)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--color-raised)',
    color: 'var(--color-ink)',
    border: '1px solid var(--color-line)',
    borderRadius: 'var(--radius-control)',
    boxShadow: 'var(--shadow-raised)',
    maxWidth: 'min(36rem, 90vw)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--font-mono)',
    maxHeight: '16rem',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    background: 'var(--color-accent-soft)',
    color: 'var(--color-ink)',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-completionDetail': { color: 'var(--color-muted)', fontStyle: 'normal' },
  '.cm-tooltip.cm-completionInfo': { padding: '6px 8px' },
  '.cm-diagnostic': { padding: '4px 8px', whiteSpace: 'pre-wrap' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--color-danger)' },
  '.cm-lint-marker': { cursor: 'default' },
  '.cm-told': { padding: '6px 8px', fontSize: '13px', lineHeight: '1.5' },
  '.cm-told code': { fontFamily: 'var(--font-mono)', whiteSpace: 'pre-wrap' },
  '.cm-told p': { margin: '4px 0 0', color: 'var(--color-muted)', whiteSpace: 'pre-wrap' },
  '.cm-told mark': { background: 'var(--color-mark)', color: 'inherit' },
};

const DIFFERENCES = {
  '.cm-changedLine, &.cm-merge-a .cm-changedLine, .cm-deletedChunk': {
    backgroundColor: 'var(--color-danger-soft)',
  },
  '&.cm-merge-b .cm-changedLine, .cm-inlineChangedLine': {
    backgroundColor: 'var(--color-accent-soft)',
  },
  '&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText': {
    background: 'color-mix(in srgb, var(--color-danger) 10%, transparent)',
  },
  '&.cm-merge-b .cm-changedText': {
    background: 'color-mix(in srgb, var(--color-accent) 10%, transparent)',
  },
  '&.cm-merge-a .cm-changedLineGutter, .cm-deletedLineGutter': {
    background: 'var(--color-danger)',
  },
  '&.cm-merge-b .cm-changedLineGutter': { background: 'var(--color-accent)' },
  '.cm-collapsedLines': {
    background: 'var(--color-sunken)',
    color: 'var(--color-muted)',
    backgroundImage: 'none',
  },
};

function themeOf(dark: boolean): Extension {
  return [
    EditorView.theme({ ...SURFACES, ...PANELS, ...DIFFERENCES }, { dark }),
    syntaxHighlighting(COLORS),
  ];
}

/** Made once each: every theme that is made adds its rules to the page for good. */
const LIGHT = themeOf(false);
const DARK = themeOf(true);

export function editorTheme(isDark: boolean): Extension {
  return isDark ? DARK : LIGHT;
}
