import { Marked, type Tokens } from 'marked';

/** A part of a page that a link can lead to: what stands below one heading. */
export interface PagePart {
  /** The id of the heading; empty for what stands above the first one. */
  readonly anchor: string;
  readonly heading: string;
  readonly level: number;
  /** All words below the heading, for the search. */
  readonly text: string;
}

export interface RenderedMarkdown {
  readonly html: string;
  readonly parts: readonly PagePart[];
}

/** A document as HTML. HTML in a document is shown as text: `<name>` is a placeholder. */
export function renderMarkdown(markdown: string): RenderedMarkdown {
  const anchors = new Map<string, number>();
  const parts: PagePart[] = [{ anchor: '', heading: '', level: 0, text: '' }];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const plain = withoutSigns(text).trim();
        const anchor = uniqueAnchor(anchorOf(plain), anchors);
        parts.push({ anchor, heading: plain, level: depth, text: '' });
        return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const target = href.replace(/\.md(?=#|$)/, '.html');
        return `<a href="${escapeHtml(target)}">${this.parser.parseInline(tokens)}</a>`;
      },
      image: ({ href, text }) =>
        `<img src="${escapeHtml(href)}" alt="${escapeHtml(text)}" loading="lazy">`,
      html: ({ text }) => escapeHtml(text),
      // Who has no mouse scrolls what is wider than the page by its keys.
      code: ({ text }) => `<pre tabindex="0"><code>${escapeHtml(text)}\n</code></pre>\n`,
      table(token) {
        const row = (cells: readonly Tokens.TableCell[], tag: 'th' | 'td'): string =>
          `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`;
        const body = token.rows.map((cells) => row(cells, 'td')).join('\n');
        return `<div class="wide" tabindex="0"><table><thead>${row(token.header, 'th')}</thead><tbody>
${body}</tbody></table></div>\n`;
      },
    },
  });
  const tokens = marked.lexer(markdown);
  const html = marked.parser(tokens);
  return { html, parts: withTexts(tokens, parts) };
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** Anchors of headings as code hosts make them, so that a link works there and here. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .trim()
    .replaceAll(/\s/g, '-');
}

function uniqueAnchor(anchor: string, taken: Map<string, number>): string {
  const count = taken.get(anchor) ?? 0;
  taken.set(anchor, count + 1);
  return count === 0 ? anchor : `${anchor}-${count}`;
}

/** Gives each part the words below its heading. */
function withTexts(tokens: readonly { type: string; raw: string }[], parts: readonly PagePart[]) {
  const texts = parts.map(() => '');
  let at = 0;
  for (const { type, raw } of tokens) {
    if (type === 'heading') at += 1;
    else texts[at] += `${plainText(raw)} `;
  }
  return parts.map((part, i) => ({ ...part, text: (texts[i] ?? '').trim() }));
}

/** Markdown without its signs. */
function plainText(markdown: string): string {
  const lines = markdown
    .replaceAll(/^\|[-|: ]+\|$/gm, ' ')
    .replaceAll(/^(?:```.*|> |\s*[-*] |\s*\d+\. )/gm, ' ')
    .replaceAll('|', ' ');
  return withoutSigns(lines).replaceAll(/\s+/g, ' ').trim();
}

/** The same of what stands within a line. */
function withoutSigns(text: string): string {
  return text.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/`|\*\*|\\(?=[|_*])/g, '');
}
