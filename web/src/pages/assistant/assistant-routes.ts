import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { listSearch, skipOf, texts } from '../../app/search-params.ts';
import { workspaceRoute } from '../../app/workspace-route.ts';

export const assistantRoutes = [
  createRoute({
    path: '/chat/{-$uid}',
    getParentRoute: () => workspaceRoute,
    validateSearch: (search) => texts(search, ['node', 'query']),
    component: lazyRouteComponent(() => import('./chat/chat-page.tsx'), 'ChatPage'),
  }),
  createRoute({
    path: '/assistant/agents',
    getParentRoute: () => workspaceRoute,
    component: lazyRouteComponent(() => import('./agents/agents-page.tsx'), 'AgentsPage'),
  }),
  createRoute({
    path: '/assistant/agents/$name',
    getParentRoute: () => workspaceRoute,
    validateSearch: (search) => listSearch(search, ['tab', 'run']),
    component: lazyRouteComponent(() => import('./agents/agent-page.tsx'), 'AgentPage'),
  }),
  createRoute({
    path: '/assistant/tools',
    getParentRoute: () => workspaceRoute,
    validateSearch: (search) => listSearch(search, ['tab']),
    component: lazyRouteComponent(() => import('./tools/tools-page.tsx'), 'ToolsPage'),
  }),
  createRoute({
    path: '/assistant/providers',
    getParentRoute: () => workspaceRoute,
    validateSearch: skipOf,
    component: lazyRouteComponent(() => import('./providers/providers-page.tsx'), 'ProvidersPage'),
  }),
  createRoute({
    path: '/assistant/research',
    getParentRoute: () => workspaceRoute,
    component: lazyRouteComponent(() => import('./research/research-page.tsx'), 'ResearchPage'),
  }),
  createRoute({
    path: '/assistant/admin-agent/{-$id}',
    getParentRoute: () => workspaceRoute,
    component: lazyRouteComponent(
      () => import('./admin-agent/admin-agent-page.tsx'),
      'AdminAgentPage',
    ),
  }),
] as const;
