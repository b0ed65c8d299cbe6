import { Link } from '@tanstack/react-router';
import { LoaderCircle } from 'lucide-react';
import { Notice } from '../../ui/notice.tsx';
import { type EndpointSummary, useCompileStatus } from './endpoint-queries.ts';

const NAMED_MAX = 20;

/** What does not compile, first of all; nothing when all is well. */
export function CompileStatusCard({
  endpoints,
}: {
  readonly endpoints: readonly EndpointSummary[];
}) {
  const { data, isError } = useCompileStatus();
  if (isError) return <Notice tone="warning">The state of the endpoints could not be read.</Notice>;
  if (data === undefined) return null;
  const failing = endpoints.filter(({ UID }) => data.FailingIds.includes(UID));
  return (
    <>
      {data.Pending && (
        <Notice tone="info">
          <span className="inline-flex items-center gap-2">
            Checking whether all endpoints compile
            <LoaderCircle className="size-4 animate-spin" aria-hidden />
          </span>
        </Notice>
      )}
      {failing.length > 0 && (
        <Notice tone="warning">
          <p className="font-medium">
            {failing.length === 1
              ? 'One endpoint does not compile'
              : `${failing.length} endpoints do not compile`}
          </p>
          <ul className="mt-1 flex flex-wrap gap-x-4 gap-y-1">
            {failing.slice(0, NAMED_MAX).map(({ name, UID }) => (
              <li key={UID}>
                <Link to="/endpoints/edit/$" params={{ _splat: name }} className="underline">
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  );
}
