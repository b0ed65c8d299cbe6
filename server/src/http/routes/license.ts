import { operations } from '@trellis/contract/operations/license.ts';
import { answer, routesOf } from '../route.ts';

export const licenseRoutes = routesOf(operations, {
  getLicense: (_input, { license }) => answer(200, license.report()),
});
