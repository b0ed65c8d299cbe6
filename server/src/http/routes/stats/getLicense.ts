import { getLicense as operation } from '@trellis/contract/operations/license.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getLicense = jsonRoute(operation, (_input, { license }) =>
  answer(200, license.report()),
);
