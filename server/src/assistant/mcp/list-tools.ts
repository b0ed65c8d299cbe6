import { ErrorCode, McpError, type ListToolsResult } from '@modelcontextprotocol/sdk/types.js';
import type { Caller } from '#access/caller.ts';
import { MCP_TOOLS_PER_PAGE } from '#base/limits.ts';
import type { ToolCatalog } from '../tools/tool-catalog.ts';

/** In `_meta` of a tool: the code of its endpoint names `runOnPrimary`, which is refused where it is offered as a reader. */
const MAY_RUN_ON_PRIMARY = 'trellis/mayRunOnPrimary';

/**
 * One page of what this caller may call. The cursor is the name of the last tool of the page before, so that nothing is kept, and a
 * tool that comes or goes meanwhile moves no other.
 */
export async function listTools(
  catalog: ToolCatalog,
  caller: Caller,
  cursor: string | undefined,
): Promise<ListToolsResult> {
  if (cursor === '') throw new McpError(ErrorCode.InvalidParams, 'There is no such page');
  const left = catalog.offered(caller).filter(({ name }) => cursor === undefined || name > cursor);
  const page = left.slice(0, MCP_TOOLS_PER_PAGE);
  const tools = await Promise.all(
    page.map(async (tool) => {
      const inputSchema = await catalog.inputSchema(tool);
      if (inputSchema === null) return [];
      const { name, description, isReadOnly, mayRunOnPrimary } = tool;
      const annotations = { readOnlyHint: isReadOnly };
      const told = mayRunOnPrimary ? { _meta: { [MAY_RUN_ON_PRIMARY]: true } } : {};
      return [{ name, description, inputSchema, annotations, ...told }];
    }),
  );
  const last = page.at(-1);
  const hasMore = last !== undefined && left.length > page.length;
  return { tools: tools.flat(), ...(hasMore ? { nextCursor: last.name } : {}) };
}
