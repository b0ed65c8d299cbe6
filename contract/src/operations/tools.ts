import { CHANGE_ERRORS, type Rows, withIds } from '../operation.ts';
import { listOf, pageQuery } from '../shapes/list.ts';
import {
  newTool,
  toolChange,
  toolDefinition,
  toolInPath,
  toolMetricsList,
} from '../shapes/tool.ts';

const writes = { area: 'assistant', auth: 'admin-write', onReplica: 'redirect' } as const;

export const operations = withIds({
  listTools: {
    sdk: 'tools.list',
    area: 'assistant',
    method: 'GET',
    path: '/api/chatai/tools',
    auth: 'admin',
    query: pageQuery,
    responses: { 200: { description: 'Tools, by name.', body: listOf(toolDefinition) } },
    errors: [],
    onReplica: 'redirect',
    summary: 'List the tools: endpoints that models are offered under a name of their own.',
  },

  createTool: {
    ...writes,
    sdk: 'tools.create',
    method: 'POST',
    path: '/api/chatai/tools',
    body: newTool,
    responses: { 201: { description: 'The tool.', body: toolDefinition } },
    errors: ['tool_exists', 'endpoint_not_found', 'endpoint_not_compiled', ...CHANGE_ERRORS],
    summary: 'Offer an endpoint to models as a tool, also one that writes.',
  },

  putTool: {
    ...writes,
    sdk: 'tools.put',
    method: 'PUT',
    path: '/api/chatai/tools/{name}',
    params: toolInPath,
    body: toolChange,
    responses: { 200: { description: 'The tool after the change.', body: toolDefinition } },
    errors: ['tool_not_found', 'endpoint_not_found', 'endpoint_not_compiled', ...CHANGE_ERRORS],
    summary: 'Change a tool; what is left out stays as it is.',
  },

  deleteTool: {
    ...writes,
    sdk: 'tools.delete',
    method: 'DELETE',
    path: '/api/chatai/tools/{name}',
    params: toolInPath,
    responses: { 204: { description: 'It is gone; its endpoint stays.' } },
    errors: ['tool_not_found', ...CHANGE_ERRORS],
    summary: 'Delete a tool.',
  },

  getToolMetrics: {
    sdk: 'tools.getMetrics',
    area: 'assistant',
    method: 'GET',
    path: '/api/chatai/tools/metrics',
    auth: 'admin',
    responses: {
      200: { description: 'Calls of each tool on this server.', body: toolMetricsList },
    },
    errors: [],
    onReplica: 'redirect',
    summary: 'Tell how often models called each tool, how it ended and how long it took.',
  },
} as const satisfies Rows);
