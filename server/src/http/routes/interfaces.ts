import { operations } from '@trellis/contract/operations/interfaces.ts';
import { INTERFACE_ZIP_BYTES_MAX } from '@trellis/contract/limits.ts';
import { answer, routesOf } from '../route.ts';
import { zipRoute } from '../upload-route.ts';

export const interfacesRoutes = routesOf(operations, {
  listInterfaces: async ({ caller, query }, { interfaces }) =>
    answer(200, await interfaces.list(caller, query)),
  putInterface: zipRoute(
    operations.putInterface,
    INTERFACE_ZIP_BYTES_MAX,
    ({ caller, params, address }, zip, { interfaces }) =>
      interfaces.put(caller, params.name, zip, address),
  ),
  deleteInterface: async ({ caller, params, address }, { interfaces }) => {
    await interfaces.delete(caller, params.name, address);
    return answer(204);
  },
});
