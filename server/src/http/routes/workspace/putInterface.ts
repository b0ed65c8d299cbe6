import { putInterface as operation } from '@trellis/contract/operations/interfaces.ts';
import { INTERFACE_ZIP_BYTES_MAX } from '#base/limits.ts';
import { zipRoute } from '../../zip-route.ts';

export const putInterface = zipRoute(
  operation,
  INTERFACE_ZIP_BYTES_MAX,
  ({ caller, params, address }, zip, { interfaces }) =>
    interfaces.put(caller, params.name, zip, address),
);
