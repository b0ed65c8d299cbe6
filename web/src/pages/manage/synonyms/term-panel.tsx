import { useQuery } from '@tanstack/react-query';
import { SidePanel } from '../../../ui/dialog.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { languageName } from './languages.ts';
import { TermForm } from './term-form.tsx';
import { TOLERANCE_DEFAULT, termQuery } from './synonym-queries.ts';

interface TermPanelProps {
  readonly lang: string;
  readonly token: string;
  readonly isAllowed: boolean;
  readonly onClose: () => void;
}

/** What goes with one term. */
export function TermPanel({ lang, token, isAllowed, onClose }: TermPanelProps) {
  const query = useQuery(termQuery(lang, token, TOLERANCE_DEFAULT));
  return (
    <SidePanel isOpen onClose={onClose} title={token} description={languageName(lang)}>
      <QueryView query={query} errorTitle="The term could not be read">
        {(record) => (
          <TermForm
            lang={lang}
            token={token}
            record={record}
            isAllowed={isAllowed}
            onDone={onClose}
          />
        )}
      </QueryView>
    </SidePanel>
  );
}
