import { getReady as operation } from '@trellis/contract/operations/status.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getReady = jsonRoute(operation, (_input, { status }) => answer(200, status.ready()));
