import { Marked, type Tokens } from 'marked';

/** A page as a reader gets it, and as a search and a program do. */
export interface RenderedPage {
  readonly title: string;
  readonly html: string;
  readonly headings: readonly { readonly id: string; readonly text: string }[];
  /** Paths of images, as the text has them. */
  readonly images: readonly string[];
}

/** `linkOf` says where a link of the text leads in the site. */
export function rendered(markdown: string, linkOf: (href: string) => string): RenderedPage {
  const headings: { id: string; text: string }[] = [];
  const images: string[] = [];
  const taken = new Set<string>();
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        const id = freeId(text, taken);
        headings.push({ id, text: plain(text) });
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        return `<a href="${escaped(linkOf(href))}">${this.parser.parseInline(tokens)}</a>`;
      },
      image({ href, text }: Tokens.Image) {
        images.push(href);
        return `<img src="${escaped(href)}" alt="${escaped(text)}" loading="lazy">`;
      },
      // What is wider than the page is scrolled, by keyboard too.
      code({ text, lang }: Tokens.Code) {
        const name = escaped(lang?.split(' ')[0] ?? '');
        return `<pre tabindex="0"><code data-language="${name}">${escaped(text)}</code></pre>\n`;
      },
    },
  });
  const html = marked.parse(markdown, { async: false });
  return {
    title: headings[0]?.text ?? '',
    html: html
      .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
      .replaceAll('</table>', '</table></div>')
      // Above nothing there is nothing to head.
      .replaceAll('<th></th>', '<td></td>'),
    headings,
    images,
  };
}

function freeId(text: string, taken: Set<string>): string {
  const base = plain(text)
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .trim()
    .replaceAll(/\s+/g, '-');
  let id = base;
  for (let count = 1; taken.has(id); count += 1) id = `${base}-${count}`;
  taken.add(id);
  return id;
}

/** Without the marks of Markdown. */
function plain(text: string): string {
  return text.replaceAll(/[`*]/g, '').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
}

export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
