import type { CodeVersion } from '@trellis/contract/shapes/code-history.ts';
import { useMediaQuery } from './media-query.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CodeDiff } from '../../ui/code-editor/code-diff.tsx';
import { formatAgo } from '../../ui/format.ts';

interface ConflictViewProps {
  readonly theirs: CodeVersion;
  readonly mine: string;
  readonly isBusy: boolean;
  readonly onTakeTheirs: () => void;
  readonly onKeepMine: () => void;
  readonly onBack: () => void;
}

/**
 * In the place of the editor, when somebody else has saved meanwhile. Either way both texts stay to
 * be had.
 */
export function ConflictView(props: ConflictViewProps) {
  const { theirs, mine, isBusy, onTakeTheirs, onKeepMine, onBack } = props;
  const isWide = useMediaQuery('(min-width: 64rem)');
  const who = theirs.by?.name ?? 'The server';
  return (
    <Card
      title={`Somebody else saved version ${theirs.version} meanwhile`}
      description={`${who} saved it ${formatAgo(theirs.at)}. Yours is not saved yet.`}
      actions={
        <>
          <Button onClick={onBack}>Go on editing mine</Button>
          <Button onClick={onTakeTheirs} disabled={isBusy}>
            Take theirs
          </Button>
          <Button kind="primary" onClick={onKeepMine} isBusy={isBusy}>
            Keep mine
          </Button>
        </>
      }
    >
      <p className="mb-3 text-[13px] text-muted">
        Keep mine saves your text as a new version; theirs stays in the history. Take theirs puts
        your text aside, so that you can bring it back.
      </p>
      <CodeDiff
        before={{ label: `Theirs, version ${theirs.version}`, text: theirs.code }}
        after={{ label: 'Mine, not saved', text: mine }}
        layout={isWide ? 'side-by-side' : 'unified'}
        className="max-h-[60vh] rounded-control border"
      />
    </Card>
  );
}
