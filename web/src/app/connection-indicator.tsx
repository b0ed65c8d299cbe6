import { classNames } from '../ui/class-names.ts';
import { type ConnectionState, useConnectionState } from './live-connection.ts';

const WORDS: Readonly<Record<ConnectionState, string>> = {
  connecting: 'Connecting',
  online: 'Online',
  away: 'Primary away',
};

export function ConnectionIndicator() {
  const state = useConnectionState();
  return (
    <span role="status" className="flex items-center gap-1.5 text-[13px] text-muted">
      <span
        aria-hidden
        className={classNames(
          'size-2 rounded-full',
          state === 'online' && 'bg-accent',
          state === 'connecting' && 'bg-line-strong',
          state === 'away' && 'bg-danger',
        )}
      />
      <span className={classNames(state === 'away' ? 'text-danger' : 'max-sm:sr-only')}>
        {WORDS[state]}
      </span>
    </span>
  );
}
