import { operations } from '@trellis/contract/operations/license.ts';
import { answer } from '../answer.ts';
import { routesOf } from '../routes-of.ts';

export const licenseRoutes = routesOf(operations, {
  getLicense: (_input, { license }) => answer(200, license.report()),
});
