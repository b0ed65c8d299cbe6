import { type Caller, serverCaller } from '../caller.ts';

/** A caller who may do everything, and is no node of the graph. */
export const ADMINISTRATOR: Caller = { ...serverCaller('test'), userName: 'admin' };
