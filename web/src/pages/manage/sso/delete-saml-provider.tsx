import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import { samlQuery } from './saml-query.ts';

export function DeleteSamlProvider({ name }: { readonly name: string }) {
  const [isAsked, setIsAsked] = useState(false);
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => client.sso.setSamlConfig({ providers: { [name]: null } }),
    onSuccess: (saved) => {
      queries.setQueryData(samlQuery.queryKey, saved);
      toastDone('The provider is removed', name);
    },
    onError: (error) => {
      setIsAsked(false);
      toastError('The provider was not removed', error);
    },
  });
  return (
    <>
      <Button icon={Trash2} onClick={() => setIsAsked(true)}>
        Remove provider
      </Button>
      <ConfirmDialog
        isOpen={isAsked}
        onClose={() => setIsAsked(false)}
        title={`Remove the provider “${name}”?`}
        action="Remove"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
      >
        Its settings are deleted, and nobody can sign in with it any more. Users stay.
      </ConfirmDialog>
    </>
  );
}
