import { callMcp as operation } from '@trellis/contract/operations/mcp.ts';
import { mcpRoute } from '../../mcp-route.ts';

export const callMcp = mcpRoute(operation);
