import type { CodeVersion } from '@trellis/contract/shapes/code-history.ts';
import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { Card } from '../../ui/card.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { versionQuery } from './endpoint-queries.ts';
import { useMediaQuery } from './media-query.ts';

const CodeDiff = lazyPart(
  async () => (await import('../../ui/code-editor/code-diff.tsx')).CodeDiff,
);

interface VersionDiffProps {
  readonly name: string;
  /** 0 is what was there before the first version: nothing. */
  readonly before: number;
  readonly after: number;
}

export function VersionDiff({ name, before, after }: VersionDiffProps) {
  const old = useQuery({ ...versionQuery(name, before), enabled: before > 0 });
  const young = useQuery(versionQuery(name, after));
  const title = before === 0 ? `Version ${after}` : `From version ${before} to version ${after}`;
  return (
    <Card title={title}>
      <QueryView query={young} errorTitle={`Version ${after} could not be read`}>
        {(newer) =>
          before === 0 ? (
            <Difference older={undefined} newer={newer} />
          ) : (
            <QueryView query={old} errorTitle={`Version ${before} could not be read`}>
              {(older) => <Difference {...{ older, newer }} />}
            </QueryView>
          )
        }
      </QueryView>
    </Card>
  );
}

interface DifferenceProps {
  readonly older: CodeVersion | undefined;
  readonly newer: CodeVersion;
}

function Difference({ older, newer }: DifferenceProps) {
  const isWide = useMediaQuery('(min-width: 64rem)');
  const changed = older === undefined ? [] : changedSettings(older, newer);
  return (
    <div className="flex flex-col gap-3">
      {changed.length > 0 && (
        <ul aria-label="Settings that differ" className="text-[13px]">
          {changed.map(([setting, was, is]) => (
            <li key={setting}>
              <code className="font-mono">{setting}</code>: {was} → {is}
            </li>
          ))}
        </ul>
      )}
      {older?.code === newer.code ? (
        <p className="text-muted">The code is the same.</p>
      ) : (
        <Suspense fallback={<Skeleton />}>
          <CodeDiff
            before={{
              label: older === undefined ? 'Nothing' : `Version ${older.version}`,
              text: older?.code ?? '',
            }}
            after={{ label: `Version ${newer.version}`, text: newer.code }}
            layout={isWide && older !== undefined ? 'side-by-side' : 'unified'}
            className="max-h-[60vh] rounded-control border"
          />
        </Suspense>
      )}
    </div>
  );
}

function changedSettings(
  { settings: was }: CodeVersion,
  { settings: is }: CodeVersion,
): readonly (readonly [string, string, string])[] {
  const before = new Map<string, unknown>(Object.entries(was));
  return Object.entries(is)
    .filter(([setting, value]) => before.get(setting) !== value)
    .map(([setting, value]) => [
      setting,
      JSON.stringify(before.get(setting)),
      JSON.stringify(value),
    ]);
}
