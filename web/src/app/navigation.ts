import type { Viewer } from '../api/viewer.ts';
import { OPERATE_NAVIGATION } from './operate-navigation.ts';
import {
  administrators,
  everybody,
  insiders,
  type NavigationGroup,
  type NavigationItem,
} from './navigation-group.ts';

/** Every page that stands in the menu and in the command palette. */
export const NAVIGATION: readonly NavigationGroup[] = [
  {
    title: 'Explore',
    items: [
      { to: '/', label: 'Search', words: 'home find', isFor: everybody },
      {
        to: '/graph',
        label: 'Graph',
        words: 'picture explore paths',
        isFor: everybody,
      },
      {
        to: '/tour',
        label: 'First steps',
        words: 'tour help start',
        isFor: everybody,
      },
      {
        to: '/api',
        label: 'API',
        words: 'openapi reference operations curl sdk help',
        isFor: everybody,
      },
    ],
  },
  {
    title: 'Assistant',
    items: [
      {
        to: '/chat',
        label: 'Chat',
        words: 'assistant ask conversations',
        isFor: insiders,
      },
      {
        to: '/assistant/agents',
        label: 'Agents',
        words: 'prompts instructions runs',
        isFor: insiders,
      },
      {
        to: '/assistant/admin-agent',
        label: 'Admin agent',
        words: 'proposals definitions approve',
        isFor: administrators,
      },
      {
        to: '/assistant/research',
        label: 'Deep research',
        words: 'queue limits researchers',
        isFor: administrators,
      },
      {
        to: '/assistant/feedback',
        label: 'Feedback',
        words: 'ratings thumbs comments conversations',
        isFor: administrators,
      },
      {
        to: '/assistant/answers',
        label: 'Golden answers',
        words: 'evaluation measure quality nuggets leaks judge questions',
        isFor: administrators,
      },
      {
        to: '/assistant/tools',
        label: 'Tools',
        words: 'models functions mcp calls',
        isFor: administrators,
      },
      {
        to: '/assistant/providers',
        label: 'Providers',
        words: 'models llm openai anthropic embeddings keys usage',
        isFor: administrators,
      },
      {
        to: '/assistant/budgets',
        label: 'Budgets',
        words: 'models tokens money prices limits month teams',
        isFor: administrators,
      },
    ],
  },
  {
    title: 'Build',
    items: [
      {
        to: '/endpoints',
        label: 'Endpoints',
        words: 'code editor',
        isFor: administrators,
      },
      { to: '/endpoints/metrics', label: 'Endpoint metrics', isFor: administrators },
      {
        to: '/admin/build',
        label: 'Build tree',
        words: 'compile',
        isFor: administrators,
      },
      {
        to: '/admin/history',
        label: 'Code history',
        words: 'changes',
        isFor: administrators,
      },
      {
        to: '/admin/interfaces',
        label: 'Interfaces',
        words: 'front end upload',
        isFor: administrators,
      },
      {
        to: '/admin/deployments',
        label: 'Deployments',
        words: 'push rollback git import versions',
        isFor: administrators,
      },
    ],
  },
  {
    title: 'Data',
    items: [
      {
        to: '/data',
        label: 'Data',
        words: 'table records nodes edit create link delete share export',
        isFor: everybody,
      },
      {
        to: '/admin/schema',
        label: 'Schema',
        words: 'types fields',
        isFor: administrators,
      },
      {
        to: '/admin/import',
        label: 'Import',
        words: 'csv jsonl upload',
        isFor: administrators,
      },
      {
        to: '/admin/connectors',
        label: 'Connectors',
        words: 'sources sync import csv postgres git mail imap directory ldap files webdav',
        isFor: administrators,
      },
      {
        to: '/admin/documents',
        label: 'Documents',
        words: 'extract read files texts proposals evidence',
        isFor: administrators,
      },
      {
        to: '/admin/duplicates',
        label: 'Duplicates',
        words: 'merge split entity resolution deduplicate',
        isFor: administrators,
      },
      {
        to: '/admin/search',
        label: 'Search settings',
        words: 'index facets vectors embeddings',
        isFor: administrators,
      },
      {
        to: '/manage/synonyms',
        label: 'Synonyms',
        isFor: (viewer) => viewer.managesSynonyms || viewer.seesAdministration,
      },
    ],
  },
  {
    title: 'Access',
    items: [
      {
        to: '/manage/access/tokens',
        label: 'Tokens',
        words: 'api keys',
        isFor: administrators,
      },
      {
        to: '/manage/access/clients',
        label: 'MCP clients',
        words: 'oauth programs consents grants',
        isFor: administrators,
      },
      {
        to: '/manage/access/secrets',
        label: 'Secrets',
        words: 'keys passwords endpoints fetch',
        isFor: administrators,
      },
      {
        to: '/manage/access/users',
        label: 'Users',
        words: 'people',
        isFor: (viewer) => viewer.managesUsers || viewer.seesAdministration,
        // All users may read who else there is.
        mayOpen: everybody,
      },
      {
        to: '/manage/access/teams',
        label: 'Teams',
        words: 'groups',
        isFor: insiders,
      },
      {
        to: '/manage/access/types',
        label: 'Types and fields',
        words: 'access visible',
        isFor: administrators,
      },
      {
        to: '/manage/access/explain',
        label: 'Why visible?',
        words: 'access explain',
        isFor: administrators,
      },
      {
        to: '/manage/access/sso',
        label: 'Single sign-on',
        words: 'sso saml oidc',
        isFor: administrators,
      },
    ],
  },
  OPERATE_NAVIGATION,
];

/** The groups as one viewer has them. */
export function navigationOf(viewer: Viewer): readonly NavigationGroup[] {
  return NAVIGATION.map(({ title, items }) => ({
    title,
    items: items.filter((item) => item.isFor(viewer)),
  })).filter(({ items }) => items.length > 0);
}

/** The page of the menu at a path, or the one above it: "/endpoints" for "/endpoints/edit/a". */
export function navigationItemAt(
  groups: readonly NavigationGroup[],
  pathname: string,
): NavigationItem | undefined {
  const above = groups
    .flatMap(({ items }) => items)
    .filter(({ to }) => pathname === to || pathname.startsWith(`${to}/`));
  return above.toSorted((a, b) => b.to.length - a.to.length)[0];
}

export function mayOpen(item: NavigationItem, viewer: Viewer): boolean {
  return (item.mayOpen ?? item.isFor)(viewer);
}
