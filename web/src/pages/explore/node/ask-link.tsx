import { Link } from '@tanstack/react-router';
import { MessageCircle } from 'lucide-react';
import { useViewer } from '../../../api/viewer.ts';
import { buttonClasses } from '../../../ui/button.tsx';

interface AskLinkProps {
  readonly uid: string;
  readonly size?: 'small';
}

/** To a new conversation about a node, for those who have the assistant. */
export function AskLink({ uid, size }: AskLinkProps) {
  if (useViewer()?.isGuest !== false) return null;
  return (
    <Link
      to="/chat/{-$uid}"
      params={{ uid: undefined }}
      search={{ node: uid }}
      className={buttonClasses('plain', size)}
    >
      <MessageCircle className="size-4" aria-hidden />
      Ask about this
    </Link>
  );
}
