interface MenuSection {
  readonly text: string;
  readonly items: readonly { readonly text: string; readonly link: string }[];
}

/**
 * The settings of VitePress (https://vitepress.dev/reference/site-config); it asks no other host.
 */
export function siteConfig(base: string, sidebar: readonly MenuSection[]) {
  return {
    title: 'Trellis',
    lang: 'en',
    base,
    head: [['link', { rel: 'icon', href: `${base}icon.svg` }]],
    // The index of the search and the page of operations are each one file of more than 500 kB.
    vite: { build: { chunkSizeWarningLimit: 2_000 } },
    markdown: {
      // "README.md" is a name here, not a host in Moldova; "<name>" is a placeholder, not HTML.
      linkify: false,
      html: false,
      anchor: { slugify: anchorOf },
    },
    themeConfig: {
      logo: '/icon.svg',
      sidebar,
      outline: [2, 3],
      search: { provider: 'local' },
    },
  };
}

/** Anchors of headings as code hosts make them, so that a link works there and here. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .trim()
    .replaceAll(/\s/g, '-');
}
