"""The words of column names, by meaning and language, without diacritics and in lower case.

`column_vocabulary` looks names up in them. A word is listed under one meaning, the most frequent one in column names; a
word that means something harmless in another of the languages is left out. A new language is a line in each meaning.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

WORDS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "a name": {
            "en": "name forename firstname lastname surname fullname familyname middlename nickname signature",
            "de": "vorname nachname familienname zuname geburtsname rufname unterschrift namen",
            "fr": "nom prenom prenoms nomdefamille",
            "es": "nombre nombres apellido apellidos",
            "it": "nome cognome nominativo",
            "pt": "nomes sobrenome apelido",
            "nl": "naam voornaam achternaam tussenvoegsel",
            "pl": "imie nazwisko imiona",
            "tr": "isim soyad soyadi soyisim adi adsoyad",
        },
        "an address or a number by which a person is reached": {
            "en": "address street phone telephone mobile cellphone fax email mail emailaddress housenumber",
            "de": "adresse anschrift strasse hausnummer telefon telefonnummer handy mobilnummer mailadresse",
            "fr": "rue courriel portable",
            "es": "direccion calle telefono movil correo domicilio",
            "it": "indirizzo telefono cellulare posta",
            "pt": "endereco morada rua telefone celular telemovel",
            "nl": "adres straat huisnummer telefoon telefoonnummer mobiel emailadres",
            "pl": "adres ulica telefon komorka",
            "tr": "adres sokak cadde telefon eposta",
        },
        "an account or a device": {
            "en": (
                "iban bic ip ipaddress url username login licence license plate mac imei imsi msisdn cookie "
                "useragent vin"
            ),
            "de": "benutzername kennzeichen kontonummer kreditkarte",
            "fr": "identifiant immatriculation",
            "es": "usuario matricula",
            "it": "targa utente",
            "pt": "usuario utilizador",
            "nl": "gebruikersnaam kenteken rekeningnummer",
            "pl": "uzytkownik rejestracja",
            "tr": "plaka",
        },
        "a number that only persons have": {
            "en": "mrn passport ssn nin nhs npi aadhaar pid ptid patid subjid usubjid empno",
            "de": (
                "ausweis ausweisnummer reisepass svnr ahv steuerid sozialversicherungsnummer versichertennummer patnr "
                "matnr kdnr versnr vpn"
            ),
            "fr": "passeport nir insee",
            "es": "dni nie nif pasaporte curp",
            "it": "passaporto codicefiscale",
            "pt": "cpf nif passaporte rg",
            "nl": "bsn paspoort",
            "pl": "pesel paszport nip",
            "tr": "tckn tckimlik kimlik pasaport tcno",
        },
        "a number or key": {
            "en": (
                "account barcode card case caseid guid hash id identifier idx key no nr number pt ref reference rid "
                "token uid uuid"
            ),
            "de": "nummer schluessel kennung karte aktenzeichen matr vp",
            "fr": "numero cle dossier",
            "es": "numero clave expediente",
            "it": "numero codice chiave",
            "pt": "numero chave",
            "nl": "nummer sleutel",
            "pl": "numer klucz",
            "tr": "numara numarasi anahtar",
        },
        "a person": {
            "en": (
                "applicant beneficiary borrower citizen client customer donor employee holder insured member "
                "participant pat patient pensioner person pupil respondent student subj subject user tracker "
                "subscriber voter tenant guest passenger driver worker staff"
            ),
            "de": (
                "kunde kundin mitarbeiter versicherter versicherte teilnehmer mitglied schueler bewerber buerger "
                "proband"
            ),
            "fr": "eleve etudiant salarie assure adherent beneficiaire personne usager",
            "es": "paciente cliente empleado alumno estudiante asegurado socio persona",
            "it": "paziente dipendente studente alunno assicurato socio",
            "pt": "funcionario aluno estudante segurado pessoa",
            "nl": "klant werknemer medewerker leerling deelnemer verzekerde persoon",
            "pl": "pacjent klient pracownik uczen osoba student ubezpieczony",
            "tr": "hasta musteri calisan ogrenci kisi uye personel sigortali",
        },
        "another person": {
            "en": (
                "author caregiver contact doctor father guardian head husband interviewer kin manager mother nurse "
                "owner parent parents partner physician relative supervisor teacher therapist wife witness"
            ),
            "de": (
                "ansprechpartner ansprechpartnerin arzt aerztin hausarzt betreuer ehepartner ehepartnerin eltern "
                "inhaber kontaktperson lehrer mutter partnerin therapeut vater vormund vorgesetzter zeuge"
            ),
            "fr": "medecin mere pere proprietaire temoin tuteur",
            "es": "contacto madre medico padre propietario testigo tutor",
            "it": "madre medico padre proprietario testimone tutore",
            "pt": "mae medico pai proprietario testemunha tutor",
            "nl": "arts eigenaar getuige huisarts moeder vader voogd",
            "pl": "lekarz matka ojciec opiekun swiadek wlasciciel",
            "tr": "anne baba doktor hekim sahip tanik veli",
        },
        "free text": {
            "en": "comment comments feedback freetext memo message remark remarks",
            "de": "anmerkung anmerkungen bemerkung bemerkungen freitext kommentar kommentare nachricht",
            "fr": "commentaire commentaires remarque remarques",
            "es": "comentario comentarios observaciones",
            "it": "commenti commento osservazioni",
            "pt": "comentarios observacoes",
            "nl": "commentaar opmerking opmerkingen",
            "pl": "komentarz uwaga uwagi",
            "tr": "aciklama mesaj yorum",
        },
        "a weight of a sample": {
            "en": "fnlwgt finalwgt perwt hhwt pwgtp wtfinl asecwt sampwt samplewt pweight poststratification",
            "de": "hochrechnungsfaktor hochrechnung gewichtungsfaktor gewichtung",
            "fr": "ponderation",
            "es": "ponderacion ponderador",
            "it": "ponderazione riporto",
            "pt": "ponderacao",
            "nl": "weegfactor ophoogfactor",
            "pl": "wazenie",
            "tr": "agirliklandirma",
        },
        "a household": {
            "en": "household hh hhid dwelling",
            "de": "haushalt haushalte",
            "fr": "foyer menage",
            "es": "hogar vivienda",
            "it": "nucleo",
            "pt": "agregado",
            "nl": "huishouden gezin",
            "pl": "gospodarstwo",
            "tr": "hane",
        },
        "health": {
            "en": (
                "condition diagnoses diagnosis disability disabled disease drug hiv aids icd illness medication "
                "medicine pregnancy pregnant symptom therapy treatment diabetes diabetic cancer tumor tumour "
                "depression asthma hepatitis allergy allergies smoker smoking alcohol blood cholesterol "
                "hypertension surgery psychiatric mental health vaccination vaccinated infection covid addiction "
                "prescription insulin glucose bmi cardiac stroke epilepsy dementia abortion contraception sick "
                "sickness medical chronic"
            ),
            "de": (
                "diagnose diagnosen krankheit erkrankung befund behandlung therapie medikament medikamente "
                "behinderung schwangerschaft schwanger blutgruppe blut krebs raucher impfung gesundheit krank "
                "pflegegrad symptome"
            ),
            "fr": (
                "diagnostic maladie traitement medicament medicaments handicap grossesse enceinte sante sang vaccin "
                "symptome pathologie fumeur"
            ),
            "es": (
                "diagnostico enfermedad tratamiento medicamento discapacidad embarazo salud sangre vacuna sintoma "
                "patologia fumador"
            ),
            "it": "diagnosi malattia terapia farmaco farmaci disabilita gravidanza salute sangue vaccino fumatore",
            "pt": "doenca tratamento deficiencia gravidez saude sangue vacina sintoma fumante",
            "nl": "ziekte behandeling medicijn zwangerschap gezondheid bloed handicap aandoening roker klacht",
            "pl": "choroba diagnoza rozpoznanie leczenie lek leki ciaza zdrowie krew niepelnosprawnosc szczepienie",
            "tr": "tani teshis hastalik tedavi ilac gebelik hamile saglik kan engelli engel asi recete",
        },
        "money": {
            "en": (
                "balance credit credits creditor debt debts debtor debtors earnings income loan loans pay salary "
                "wage wages savings saving revenue mortgage installment installments bonus capital gain tax taxes "
                "assets wealth payment payments payout pension amount price premium profit turnover rent benefit "
                "benefits donation bankrupt bankruptcy overdraft spending expenditure"
            ),
            "de": (
                "gehalt einkommen lohn schulden kredit kontostand rente vermoegen steuer betrag miete umsatz "
                "verdienst ersparnis zahlung sozialhilfe darlehen"
            ),
            "fr": ("salaire revenu revenus dette pret montant solde loyer impot epargne patrimoine paiement retraite"),
            "es": ("salario sueldo ingreso ingresos deuda prestamo importe saldo alquiler impuesto ahorro pago renta"),
            "it": "stipendio reddito debito prestito importo mutuo affitto imposta risparmio pagamento",
            "pt": "rendimento divida emprestimo valor aluguel imposto poupanca pagamento",
            "nl": "salaris inkomen schuld lening bedrag huur belasting spaargeld betaling uitkering",
            "pl": "pensja wynagrodzenie dochod dlug kredyt pozyczka kwota czynsz podatek zarobki",
            "tr": "maas gelir borc kredi tutar bakiye kira vergi ucret odeme",
        },
        "belief": {
            "en": "religion religious belief faith church denomination philosophical creed",
            "de": "konfession glaube kirche kirchensteuer",
            "fr": "croyance confession culte",
            "es": "creencia iglesia",
            "it": "religione fede",
            "pt": "religiao crenca",
            "nl": "religie geloof kerk godsdienst",
            "pl": "religia wyznanie wiara",
            "tr": "din mezhep inanc",
        },
        "politics": {
            "en": "political politics party vote voted opinion",
            "de": "partei politisch wahl gesinnung",
            "fr": "politique parti opinion",
            "es": "politica partido voto",
            "it": "partito",
            "pt": "partido",
            "nl": "partij politiek",
            "pl": "partia polityka poglady",
            "tr": "siyasi parti siyaset",
        },
        "membership of a union": {
            "en": "union unionmember",
            "de": "gewerkschaft",
            "fr": "syndicat syndical",
            "es": "sindicato sindical",
            "it": "sindacato",
            "pt": "sindicatos",
            "nl": "vakbond",
            "pl": "zwiazek",
            "tr": "sendika",
        },
        "sexuality": {
            "en": "orientation sexual sexuality homosexual lgbt transgender genderidentity",
            "de": "orientierung sexualitaet geschlechtsidentitaet",
            "fr": "sexuelle sexualite",
            "es": "sexualidad orientacion",
            "it": "sessuale orientamento",
            "pt": "sexualidade orientacao",
            "nl": "geaardheid seksuele genderidentiteit",
            "pl": "orientacja",
            "tr": "cinsel yonelim",
        },
        "genetic or biometric data": {
            "en": "genetic gene genotype genome dna snp biometric fingerprint retina iris faceprint",
            "de": "fingerabdruck genetisch biometrisch genom",
            "fr": "genetique adn empreinte",
            "es": "genetico huella",
            "it": "genetica impronta",
            "pt": "genetica",
            "nl": "vingerafdruk genetisch",
            "pl": "genetyczny",
            "tr": "genetik parmakizi",
        },
        "crime": {
            "en": (
                "conviction convictions convicted crime criminal offence offense offences arrest arrested prison "
                "sentence felony"
            ),
            "de": "straftat vorstrafe vorstrafen verurteilung delikt haft",
            "fr": "crime condamnation delit infraction casier",
            "es": "delito condena antecedentes",
            "it": "reato condanna",
            "pt": "delito condenacao antecedente",
            "nl": "misdrijf veroordeling strafblad",
            "pl": "przestepstwo wyrok karalnosc",
            "tr": "suc sabika hukum mahkumiyet",
        },
        "a judgement of a person": {
            "en": "score result test grade grades mark marks appraisal performance evaluation",
            "de": "note noten zensur beurteilung bewertung ergebnis abmahnung",
            "fr": "resultat notes evaluation",
            "es": "nota calificacion resultado puntuacion",
            "it": "voti risultato punteggio",
            "pt": "classificacao pontuacao",
            "nl": "cijfer cijfers beoordeling uitslag",
            "pl": "ocena wynik oceny",
            "tr": "notu puan sonuc basari",
        },
        "an age or a date of birth": {
            "en": "age birth birthdate birthday birthyear born dob yob",
            "de": "alter geburtsdatum geburtstag geburtsjahr geburt geboren gebdat jahrgang",
            "fr": "naissance datenaissance",
            "es": "edad nacimiento",
            "it": "eta nascita",
            "pt": "idade nascimento",
            "nl": "leeftijd geboortedatum geboorte geboortejaar",
            "pl": "wiek urodzenia urodzony",
            "tr": "yas dogum",
        },
        "the sex": {
            "en": "sex gender",
            "de": "geschlecht anrede",
            "fr": "sexe genre civilite",
            "es": "sexo genero",
            "it": "sesso genere",
            "pt": "sexos generos",
            "nl": "geslacht",
            "pl": "plec",
            "tr": "cinsiyet",
        },
        "the family": {
            "en": (
                "children child kids civil family marital married marriage relationship spouse siblings dependents "
                "divorced widowed"
            ),
            "de": "familienstand kinder kinderzahl verheiratet personenstand familie",
            "fr": "enfants enfant matrimonial matrimoniale famille marie conjoint familiale",
            "es": "hijos casado familia conyuge",
            "it": "figli civile coniugato famiglia",
            "pt": "filhos casado conjuge",
            "nl": "kinderen gehuwd burgerlijke gezinssituatie",
            "pl": "dzieci cywilny malzenstwo rodzina",
            "tr": "cocuk medeni evli aile",
        },
        "the origin": {
            "en": ("nationality citizenship native language foreign foreigner migration immigrant origin"),
            "de": (
                "staatsangehoerigkeit nationalitaet herkunft sprache muttersprache migrationshintergrund auslaender"
            ),
            "fr": "nationalite langue origine etranger",
            "es": "nacionalidad idioma origen extranjero",
            "it": "nazionalita cittadinanza lingua",
            "pt": "nacionalidade",
            "nl": "nationaliteit taal afkomst herkomst",
            "pl": "narodowosc obywatelstwo jezyk pochodzenie",
            "tr": "uyruk milliyet dil",
        },
        "the ethnic origin": {
            "en": "caste ethnic ethnicity race tribe",
            "de": "ethnie hautfarbe rasse",
            "fr": "ethnie",
            "es": "etnia raza",
            "it": "etnia razza",
            "pt": "etnia raca",
            "nl": "etniciteit huidskleur ras",
            "pl": "etniczne rasa",
            "tr": "etnik irk",
        },
        "a place": {
            "en": (
                "city country county district province region state town village municipality canton "
                "birthplace location place latitude longitude lat lon lng coordinates commune neighbourhood "
                "neighborhood area residence housing house home zone"
            ),
            "de": (
                "ort wohnort stadt land bundesland landkreis kreis gemeinde bezirk geburtsort breitengrad "
                "laengengrad breite laenge stadtteil wohnung wohnsitz"
            ),
            "fr": "ville pays departement lieu arrondissement quartier logement",
            "es": "ciudad pais provincia municipio comunidad localidad barrio comarca latitud longitud",
            "it": "citta paese regione provincia comune quartiere residenza latitudine longitudine",
            "pt": "cidade municipio concelho freguesia distrito regiao bairro",
            "nl": "stad woonplaats gemeente provincie wijk buurt plaats geboorteplaats",
            "pl": "miasto miejscowosc wojewodztwo powiat gmina kraj region",
            "tr": "sehir il ilce ulke mahalle semt bolge koy",
        },
        "a postal code": {
            "en": "postal postcode zip zipcode eircode",
            "de": "plz postleitzahl",
            "fr": "codepostal",
            "es": "codigopostal",
            "it": "cap",
            "pt": "cep codigopostal",
            "nl": "postcode",
            "pl": "kodpocztowy pocztowy",
            "tr": "postakodu",
        },
        "a date": {
            "en": (
                "admission admitted death discharge discharged hired hiredate entry joined visit visited "
                "appointment date datetime timestamp since enrolled arrival departure recency"
            ),
            "de": "datum aufnahme entlassung eintritt austritt eintrittsdatum sterbedatum zeitpunkt seit",
            "fr": "admission sortie embauche deces",
            "es": "fecha ingresado fallecimiento",
            "it": "ricovero dimissione decesso assunzione",
            "pt": "admissao internacao obito",
            "nl": "opname ontslag indiensttreding overlijden",
            "pl": "przyjecia wypisu zgonu zatrudnienia",
            "tr": "tarih tarihi yatis taburcu giris cikis",
        },
        "work or education": {
            "en": (
                "degree education employer employment job occupation profession school university work workclass "
                "employed department position title rank industry hours company college faculty branch office "
                "team tenure workplace unemployed"
            ),
            "de": (
                "beruf arbeitgeber abteilung schule bildung abschluss taetigkeit dienstgrad schulabschluss klasse "
                "branche ausbildung beschaeftigung firma wochenstunden arbeitszeit"
            ),
            "fr": "profession emploi metier employeur ecole diplome etudes poste entreprise classe",
            "es": ("profesion ocupacion empleo trabajo empresa escuela estudios educacion puesto departamento titulo"),
            "it": "professione lavoro occupazione azienda scuola istruzione titolo reparto impiego",
            "pt": "profissao ocupacao trabalho emprego escola escolaridade cargo",
            "nl": "beroep werk werkgever school opleiding functie afdeling",
            "pl": "zawod praca pracodawca szkola wyksztalcenie stanowisko dzial",
            "tr": "meslek isyeri okul egitim gorev unvan bolum sirket sinif departman",
        },
        "the body": {
            "en": "height weight eye hair stature",
            "de": "groesse gewicht koerpergroesse augenfarbe haarfarbe",
            "fr": "poids taille",
            "es": "peso altura estatura talla",
            "it": "altezza",
            "pt": "estaturas",
            "nl": "lengte gewicht",
            "pl": "wzrost waga",
            "tr": "kilo",
        },
    }
)

VALUES: Mapping[str, str] = MappingProxyType(
    {
        "health": (
            "aids alcoholic anorexia asthma asthmatic bipolar cancer carcinoma dementia depressed depression "
            "diabetes diabetic epilepsy hepatitis hiv leukemia leukaemia lymphoma melanoma metastasis pregnant "
            "psychosis schizophrenia seropositive sida syphilis tuberculosis tumor tumour depressiv karzinom "
            "krebs schizophrenie schwanger suechtig diabete enceinte seropositif embarazada depresion "
            "incinta gravida grossesse zwanger ciaza hamile kanser"
        ),
        "belief": (
            "agnostic anglican atheist baptist buddhist catholic christian hindu islam islamic jew jewish "
            "lutheran methodist muslim orthodox protestant shia sikh sunni evangelisch katholisch muslimisch "
            "juedisch konfessionslos catholique protestante musulman juif catolico judio cattolico "
            "musulmano ebreo muculmano katholiek moslim joods katolik musluman alevi yahudi"
        ),
        "politics": "afd cdu communist democrat fdp republican socialist spd tory",
        "sexuality": (
            "asexual bisexual cis cisgender gay heterosexual homosexual intersex lesbian nonbinary queer "
            "straight trans transgender transsexual bisexuell heterosexuell homosexuell lesbisch schwul "
            "homosexuel lesbienne lesbiana"
        ),
        "crime": (
            "arrested convicted felony imprisoned prison verurteilt vorbestraft condamne condenado condannato sabikali"
        ),
    }
)
"""Words in the values of columns that say something of a special category whatever the column is called.

They are few and clear: words that are frequent in other values, such as party or treatment, are left out.
"""

LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "tr")

LINKS = ("", "s", "n", "en", "es", "e", "er", "ens")
"""What may stand between two words of a compound, as in Geburtsdatum, and after the last one, as an ending."""
