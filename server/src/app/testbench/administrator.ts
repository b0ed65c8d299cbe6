import type { Caller } from '#access/caller.ts';
import { SERVER } from '../endpoint-files.ts';

/** Who fills a test workspace and looks into it. */
export const ADMINISTRATOR: Caller = { ...SERVER, tokenId: 'test' };
