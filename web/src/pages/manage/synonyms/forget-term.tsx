import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import { refreshSynonyms } from './synonym-queries.ts';

interface ForgetTermProps {
  readonly lang: string;
  readonly token: string;
  readonly isDisabled: boolean;
  readonly onDone: () => void;
}

/** Three empty lists forget a term (docs, search.md). */
export function ForgetTerm({ lang, token, isDisabled, onDone }: ForgetTermProps) {
  const [isAsked, setIsAsked] = useState(false);
  const queries = useQueryClient();
  const forget = useMutation({
    mutationFn: () =>
      client.synonyms.put({ Synonyms: [], Alternates: [], Blocked: [] }, { token, lang }),
    onSuccess: async () => {
      await refreshSynonyms(queries);
      toastDone('The term is forgotten', token);
      onDone();
    },
    onError: (error) => {
      setIsAsked(false);
      toastError('The term was not forgotten', error);
    },
  });
  return (
    <>
      <Button icon={Trash2} disabled={isDisabled} onClick={() => setIsAsked(true)}>
        Forget term
      </Button>
      <ConfirmDialog
        isOpen={isAsked}
        onClose={() => setIsAsked(false)}
        title={`Forget the term “${token}”?`}
        action="Forget"
        isBusy={forget.isPending}
        onConfirm={() => forget.mutate()}
      >
        A search for it then finds only the term itself. Links of other terms stay.
      </ConfirmDialog>
    </>
  );
}
