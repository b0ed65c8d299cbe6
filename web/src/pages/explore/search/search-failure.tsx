import { TrellisError } from '@trellis/client/trellis-error.ts';
import { Link } from '@tanstack/react-router';
import { Hourglass, TextSearch } from 'lucide-react';
import { useViewer } from '../../../api/viewer.ts';
import { Button, buttonClasses } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { describeError } from '../../../ui/error-text.ts';
import { isAboutMember } from './search-queries.ts';

interface SearchFailureProps {
  readonly error: unknown;
  readonly onRetry: () => unknown;
  /** Set where the search was by vectors. */
  readonly onSearchForWords?: (() => void) | undefined;
}

/** Why there is no answer, and what to do about it. */
export function SearchFailure({ error, onRetry, onSearchForWords }: SearchFailureProps) {
  const { code } = describeError(error);
  if (code === 'index_opening') {
    return (
      <EmptyState
        icon={Hourglass}
        title="The search index is being opened"
        action={<Button onClick={() => void onRetry()}>Try again</Button>}
      >
        Nothing can be found until it is open. That takes a moment after a start, and longer after a
        large import.
      </EmptyState>
    );
  }
  if (onSearchForWords === undefined) {
    return <ErrorPanel title="The search failed" error={error} onRetry={onRetry} />;
  }
  const reason = whyNoMeaning(error);
  if (reason !== undefined) {
    return <NoMeaning reason={reason} onSearchForWords={onSearchForWords} />;
  }
  return (
    <div className="flex flex-col items-start gap-3">
      <ErrorPanel title="The search by meaning failed" error={error} onRetry={onRetry} />
      <Button icon={TextSearch} onClick={onSearchForWords}>
        Search for the words instead
      </Button>
    </div>
  );
}

/** Undefined where it failed for another reason. */
function whyNoMeaning(error: unknown): string | undefined {
  if (!(error instanceof TrellisError)) return undefined;
  if (error.code === 'embeddings_not_configured') {
    return 'No provider of embeddings is set up. It turns words into vectors.';
  }
  if (isAboutMember(error, 'mode')) return 'No field that is searched has vectors.';
  if (!isAboutMember(error, 'vector')) return undefined;
  return 'The vectors here came with their nodes. The server does not know the model that made them, so it cannot make one for these words.';
}

interface NoMeaningProps {
  readonly reason: string;
  readonly onSearchForWords: () => void;
}

function NoMeaning({ reason, onSearchForWords }: NoMeaningProps) {
  const isAdmin = useViewer()?.seesAdministration === true;
  return (
    <EmptyState
      icon={TextSearch}
      title="Search by meaning is not set up"
      action={
        <div className="flex flex-wrap justify-center gap-2">
          <Button kind="primary" onClick={onSearchForWords}>
            Search for the words instead
          </Button>
          {isAdmin && (
            <Link to="/admin/search" className={buttonClasses()}>
              Search settings
            </Link>
          )}
        </div>
      }
    >
      {reason}
    </EmptyState>
  );
}
