import { operations } from '@trellis/contract/operations/mcp.ts';
import { mcpRoute } from '../mcp-route.ts';
import { routesOf } from '../routes-of.ts';

export const mcpRoutes = routesOf(operations, {
  callMcp: mcpRoute(operations.callMcp),
});
