import { Link } from '@tanstack/react-router';
import { useViewer } from '../../../api/viewer.ts';
import { Notice } from '../../../ui/notice.tsx';

/** Without a provider nobody answers: what to do about it. */
export function NoProvider() {
  const viewer = useViewer();
  return (
    <Notice tone="info">
      <p>No model answers here yet: this workspace has no provider of chat.</p>
      {viewer?.seesAdministration === true ? (
        <p>
          <Link to="/assistant/providers" className="font-medium underline">
            Add a provider
          </Link>{' '}
          to switch on the assistant.
        </p>
      ) : (
        <p>Ask an administrator to add one. Everything else works without.</p>
      )}
    </Notice>
  );
}
