import type { ChangePermission } from '../../app/permissions.ts';
import { Notice } from '../../ui/notice.tsx';

/** Why the viewer may change nothing on a page that they may look at. */
export function PermissionNotice({ permission }: { readonly permission: ChangePermission }) {
  if (permission.isAllowed || permission.reason === undefined) return null;
  return (
    <div className="mb-4">
      <Notice tone="info">{permission.reason}</Notice>
    </div>
  );
}
