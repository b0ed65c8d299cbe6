import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { viewerQuery } from '../api/viewer.ts';

/** The id of a request that failed; those who may read the log are led to what it says of it. */
export function RequestId({ id }: { readonly id: string }) {
  // Known from elsewhere, or not: an error must not lead to another one.
  const viewer = useQuery({ ...viewerQuery, enabled: false }).data;
  const code = <code className="font-mono">{id}</code>;
  if (viewer?.seesAdministration !== true) return code;
  return (
    <Link
      to="/admin/logs"
      search={{ request: id, range: 'all' }}
      aria-label={`Log of the request ${id}`}
      className="underline"
    >
      {code}
    </Link>
  );
}
