import { createRoute } from '@tanstack/react-router';
import { listSearch, skipOf, texts } from '../../app/search-params.ts';
import { workspaceRoute } from '../../app/workspace-route.ts';
import { lazyPage } from '../../ui/lazy-part.tsx';

export const assistantRoutes = [
  createRoute({
    path: '/chat/{-$uid}',
    getParentRoute: () => workspaceRoute,
    validateSearch: (search) => texts(search, ['node', 'query', 'source']),
    component: lazyPage(() => import('./chat/chat-page.tsx'), 'ChatPage'),
  }),
  createRoute({
    path: '/assistant/agents',
    getParentRoute: () => workspaceRoute,
    component: lazyPage(() => import('./agents/agents-page.tsx'), 'AgentsPage'),
  }),
  createRoute({
    path: '/assistant/agents/$name',
    getParentRoute: () => workspaceRoute,
    validateSearch: (search) => listSearch(search, ['tab', 'run']),
    component: lazyPage(() => import('./agents/agent-page.tsx'), 'AgentPage'),
  }),
  createRoute({
    path: '/assistant/tools',
    getParentRoute: () => workspaceRoute,
    validateSearch: (search) => listSearch(search, ['tab']),
    component: lazyPage(() => import('./tools/tools-page.tsx'), 'ToolsPage'),
  }),
  createRoute({
    path: '/assistant/providers',
    getParentRoute: () => workspaceRoute,
    validateSearch: skipOf,
    component: lazyPage(() => import('./providers/providers-page.tsx'), 'ProvidersPage'),
  }),
  createRoute({
    path: '/assistant/budgets',
    getParentRoute: () => workspaceRoute,
    component: lazyPage(() => import('./budgets/budgets-page.tsx'), 'BudgetsPage'),
  }),
  createRoute({
    path: '/assistant/research',
    getParentRoute: () => workspaceRoute,
    component: lazyPage(() => import('./research/research-page.tsx'), 'ResearchPage'),
  }),
  createRoute({
    path: '/assistant/feedback',
    getParentRoute: () => workspaceRoute,
    validateSearch: (search) => listSearch(search, ['value', 'from', 'to', 'answer']),
    component: lazyPage(() => import('./feedback/feedback-page.tsx'), 'FeedbackPage'),
  }),
  createRoute({
    path: '/assistant/answers',
    getParentRoute: () => workspaceRoute,
    component: lazyPage(() => import('./answers/golden-list-page.tsx'), 'GoldenListPage'),
  }),
  createRoute({
    path: '/assistant/answers/$name',
    getParentRoute: () => workspaceRoute,
    validateSearch: (search) => texts(search, ['tab', 'run', 'compare']),
    component: lazyPage(() => import('./answers/golden-set-page.tsx'), 'GoldenSetPage'),
  }),
  createRoute({
    path: '/assistant/admin-agent/{-$id}',
    getParentRoute: () => workspaceRoute,
    component: lazyPage(() => import('./admin-agent/admin-agent-page.tsx'), 'AdminAgentPage'),
  }),
] as const;
