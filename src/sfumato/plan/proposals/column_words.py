"""The words of column names, by meaning and language, without diacritics and in lower case.

`column_vocabulary` looks names up in them. A word is listed under one meaning, the most frequent one in column names; a
word that means something harmless in another of the languages is left out, unless it names a special category. A new
language is a line in each meaning.
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
            "sv": "namn fornamn efternamn mellannamn",
            "tr": "isim soyad soyadi soyisim adi adsoyad",
        },
        "an address or a number by which a person is reached": {
            "en": "address street phone tel telephone mobile cellphone fax email mail emailaddress housenumber",
            "de": "adresse anschrift strasse hausnummer telefon telefonnummer handy mobilnummer mailadresse",
            "fr": "rue courriel portable",
            "es": "direccion calle telefono movil correo domicilio",
            "it": "indirizzo telefono cellulare posta",
            "pt": "endereco morada rua telefone celular telemovel",
            "nl": "adres straat huisnummer telefoon telefoonnummer mobiel emailadres",
            "pl": "adres ulica telefon komorka",
            "sv": "adress gatuadress gata telefonnummer mobilnummer epost",
            "tr": "adres sokak cadde telefon eposta",
        },
        "an account or a device": {
            "en": (
                "iban bic ip ipaddress url username login licence license plate mac imei imsi msisdn cookie "
                "useragent vin handle screenname"
            ),
            "de": "benutzername kennzeichen kontonummer kreditkarte",
            "fr": "identifiant immatriculation",
            "es": "usuario matricula",
            "it": "targa utente",
            "pt": "usuario utilizador",
            "nl": "gebruikersnaam kenteken rekeningnummer",
            "pl": "uzytkownik rejestracja",
            "sv": "anvandarnamn kontonummer registreringsnummer",
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
            "sv": "samordningsnummer pnr",
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
            "sv": "nummer nyckel",
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
            "sv": "kund patient anstalld elev deltagare medlem",
            "tr": "hasta musteri calisan ogrenci kisi uye personel sigortali",
        },
        "another person": {
            "en": (
                "author caregiver contact doctor father guardian head husband interviewer kin manager mother "
                "nurse owner parent parents partner physician relative supervisor teacher therapist wife "
                "witness officer"
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
            "sv": "lakare vardnadshavare handlaggare",
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
            "sv": "anmarkning anteckning anteckningar kommentar",
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
            "sv": "urvalsvikt kalibreringsvikt",
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
            "sv": "hushall",
            "tr": "hane",
        },
        "the data and not a person": {
            "en": "currency batch wave",
            "de": "waehrung stapel",
            "fr": "devise lot",
            "es": "moneda lote",
            "it": "valuta lotto",
            "pt": "moeda",
            "nl": "munteenheid",
            "pl": "waluta",
            "sv": "valuta",
            "tr": "parabirimi",
        },
        "health": {
            "en": (
                "condition diagnoses diagnosis disability disabled disease drug hiv aids icd illness "
                "medication medicine pregnancy pregnant symptom therapy treatment diabetes diabetic cancer "
                "tumor tumour depression asthma hepatitis allergy allergies smoker smoking alcohol blood "
                "cholesterol hypertension surgery psychiatric mental health vaccination vaccinated infection "
                "covid addiction prescription insulin glucose bmi cardiac stroke epilepsy dementia abortion "
                "contraception sick sickness medical chronic abuse adhd alcoholic alcoholism allergic anemia "
                "antibody antibodies antidepressant antidepressants antiretroviral anxiety arthritis autism "
                "autistic bilirubin biopsy bipolar blind bloodpressure carcinoma charlson chemo chemotherapy "
                "chlamydia cocaine comorbidity comorbidities contraceptive contraceptives copd creatinine crp "
                "deaf detox diag dialysis diseases disorder disorders drg drinker drinking drugs dsm dx egfr "
                "ferritin fertility gestation gestational gonorrhea gonorrhoea haemoglobin handicapped harm "
                "hbv hcv hdl hematocrit haematocrit hemoglobin hep heroin herpes hpv icpc iep illnesses "
                "impaired impairment infected infections infertility injury injuries inpatient ivf ldl "
                "leukemia leukaemia loinc lymphoma malignant medications menopause metastasis methadone "
                "migraine miscarriage narcotics neurodivergent nicotine obese obesity opiate opiates opioid "
                "opioids oncology overdose palliative pathology platelets postpartum preg prescriptions psa "
                "psych psychiatry psychological psychosis ptsd radiotherapy rehab schizophrenia selfharm "
                "seropositive serology serostatus sickleave smokes snomed stillbirth sti suicidal suicide "
                "symptoms syndrome syphilis tbc therapies tobacco transplant treatments triglycerides "
                "troponin tsh tuberculosis vaccine vaccines viralload wheelchair"
            ),
            "de": (
                "diagnose diagnosen krankheit erkrankung befund behandlung therapie medikament medikamente "
                "behinderung schwangerschaft schwanger blutgruppe blut krebs raucher impfung gesundheit krank "
                "pflegegrad symptome abhaengigkeit abtreibung alkohol alkoholiker alkoholkonsum allergie "
                "allergien angststoerung arbeitsunfaehig arbeitsunfaehigkeit arznei arzneimittel "
                "behinderungsgrad beschwerden blutdruck blutwert blutzucker burnout chronisch cholesterin "
                "demenz depressionen diagnoseschluessel drogen drogenkonsum erkrankungen erwerbsgemindert "
                "erwerbsminderung berufsunfaehig essstoerung fehlgeburt foerderbedarf foerderschwerpunkt gdb "
                "geschlechtskrankheit gesundheitlich gesundheitszustand hauptdiagnose impfstatus infektion "
                "infektionen krankenstand krankmeldung krankschreibung krankgeschrieben krankheiten laborwert "
                "laborwerte leberwert medikation nebendiagnose nichtraucher pflegebeduerftig pflegebedarf "
                "pflegestufe psychisch psychiatrie psychiatrisch psychose psychotherapie raucherstatus "
                "rauchen schwangerschaftsabbruch schwerbehindert schwerbehinderung schwerbehindertenausweis "
                "selbstmord selbstverletzung sucht suchtmittel suchterkrankung suizid suizidal tabak "
                "verhuetung vorerkrankung vorerkrankungen wirkstoff zuckerkrank"
            ),
            "fr": (
                "diagnostic maladie traitement medicament medicaments handicap grossesse enceinte sante sang "
                "vaccin symptome pathologie fumeur addictions affection ald alcool alcoolique alcoolisme "
                "arretmaladie automutilation avortement deficience dependance diabete drogue drogues "
                "enceintes glycemie handicape hepatite invalide invalidite ivg maladies mst obesite "
                "ordonnance pathologies psy psychiatrique psychique psychologique rqth sclerose seropositif "
                "seropositivite serologie sida symptomes tabac tabagisme toxicomane toxicomanie tuberculose vaccins vih"
            ),
            "es": (
                "diagnostico enfermedad tratamiento medicamento discapacidad embarazo salud sangre vacuna "
                "sintoma patologia fumador aborto abortos adiccion adicciones alcoholismo alergia alergias "
                "alergico ansiedad anticonceptivo anticonceptivos autolesion autolesiones colesterol "
                "depresion diagnosticos discapacidades discapacitado drogadiccion drogas drogodependencia "
                "embarazada embarazos enfermedades farmacos gestacion gestante glucosa hemoglobina "
                "incapacidad infeccion infecciones invalidez medicacion medicamentos minusvalia obesidad "
                "patologias psicologico psiquiatria psiquiatrico serologia seropositivo sifilis sintomas "
                "suicidio tabaco tabaquismo toxicomania tratamientos vacunas vacunacion"
            ),
            "it": (
                "diagnosi malattia terapia farmaco farmaci disabilita gravidanza salute sangue vaccino "
                "fumatore alcol alcolismo alcolista allergia ansia autolesionismo colesterolo contraccettivo "
                "contraccezione depressione dipendenza dipendenze disabile droga droghe emoglobina epatite "
                "fumo glicemia incinta infezione infezioni infortunio invalidita invalido malattie medicinale "
                "medicinali obesita patologie psichiatria psichiatrico psichico sieropositivo sieropositivita "
                "sierologia sifilide sintomi sintomo tossicodipendente tossicodipendenza tubercolosi "
                "vaccinazione vaccini"
            ),
            "pt": (
                "doenca tratamento deficiencia gravidez saude sangue vacina sintoma fumante alcoolismo "
                "ansiedade anticoncepcional atestado automutilacao cirurgia contraceptivo depressao doencas "
                "gestacao gravida incapacidade infeccao medicacao obesidade pcd remedio remedios sorologia "
                "soropositivo tabagismo toxicodependencia toxicodependente tratamentos vacinacao"
            ),
            "nl": (
                "ziekte behandeling medicijn zwangerschap gezondheid bloed handicap aandoening roker klacht "
                "abortus aandoeningen allergieen anticonceptie arbeidsongeschikt arbeidsongeschiktheid "
                "behandelingen beperking besmetting bloeddruk dementie depressie drugsgebruik alcoholgebruik "
                "geneesmiddel geneesmiddelen gehandicapt inenting infectie kanker medicatie medicijnen "
                "miskraam roken soa vaccinatie verslaafd verslaving verzuim zelfbeschadiging zelfmoord "
                "ziekmelding ziektes ziekteverzuim zwanger"
            ),
            "pl": (
                "choroba diagnoza rozpoznanie leczenie lek leki ciaza zdrowie krew niepelnosprawnosc "
                "szczepienie aborcja alergie alkoholizm antykoncepcja choroby chorobowe cukrzyca depresja "
                "glukoza gruzlica infekcja inwalidztwo kalectwo narkomania narkotyki niepelnosprawny nowotwor "
                "palacz palenie poronienie psychiatra psychiatryczny psychiczne psychiczny rak samobojstwo "
                "samookaleczenie szczepienia szczepionka uzaleznienie uzaleznienia zakazenie zakazenia"
            ),
            "sv": (
                "aborter alkohol allergi allergier angest arbetsoformaga behandling blodgrupp blodsocker "
                "blodtryck cancer demens depression diagnos diagnoser diagnoskod funktionshinder "
                "funktionsnedsattning funktionsvariation graviditet gravid halsa halsotillstand infektion "
                "klamydia lakemedel missbruk missfall narkotika preventivmedel provsvar psykiatri psykiatrisk "
                "psykisk psykos rokare rokning sjalvmord sjalvskada sjukdom sjukdomar sjukfranvaro "
                "sjukpenning sjukskriven sjukskrivning smitta symtom tobak vaccin vaccination"
            ),
            "tr": (
                "tani teshis hastalik tedavi ilac gebelik hamile saglik kan engelli engel asi recete alerji "
                "ameliyat bagimlilik alkol belirti depresyon diyabet enfeksiyon engellilik gebe hamilelik "
                "hastaliklar hepatit ilaclar intihar isgoremezlik kanser kolesterol kurtaj maluliyet ozurlu "
                "psikiyatri psikiyatrik psikolojik semptom sigara tansiyon tuberkuloz uyusturucu verem"
            ),
        },
        "money": {
            "en": (
                "balance credit credits creditor debt debts debtor debtors earnings income loan loans pay "
                "salary wage wages savings saving revenue mortgage installment installments bonus capital "
                "gain tax taxes assets wealth payment payments payout pension amount price premium profit "
                "turnover rent benefit benefits donation bankrupt bankruptcy overdraft spending expenditure "
                "arrears delinquency delinquent foreclosure garnishment insolvency insolvent repossession"
            ),
            "de": (
                "gehalt einkommen lohn schulden kredit kontostand rente vermoegen steuer betrag miete umsatz "
                "verdienst ersparnis zahlung sozialhilfe darlehen arbeitslosengeld buergergeld grundsicherung "
                "insolvenz lohnpfaendung mahnung mahnungen pfaendung privatinsolvenz schufa ueberschuldet "
                "ueberschuldung wohngeld zahlungsunfaehig zahlungsverzug"
            ),
            "fr": (
                "salaire revenu revenus dette pret montant solde loyer impot epargne patrimoine paiement "
                "retraite allocations dettes faillite huissier impaye impayes insolvabilite surendettement "
                "surendette"
            ),
            "es": (
                "salario sueldo ingreso ingresos deuda prestamo importe saldo alquiler impuesto ahorro pago "
                "renta deudas embargo embargos impago impagos insolvencia insolvente morosidad moroso quiebra "
                "subsidio"
            ),
            "it": (
                "stipendio reddito debito prestito importo mutuo affitto imposta risparmio pagamento debiti "
                "fallimento insolvenza morosita pignoramenti pignoramento protesti sussidio"
            ),
            "pt": (
                "rendimento divida emprestimo valor aluguel imposto poupanca pagamento dividas falencia "
                "inadimplencia inadimplente negativado penhora renda"
            ),
            "nl": (
                "salaris inkomen schuld lening bedrag huur belasting spaargeld betaling uitkering "
                "betalingsachterstand bijstand faillissement insolventie loonbeslag schuldsanering toeslag "
                "wanbetaler"
            ),
            "pl": (
                "pensja wynagrodzenie dochod dlug kredyt pozyczka kwota czynsz podatek zarobki komornik "
                "niewyplacalnosc upadlosc windykacja zadluzenie zasilek"
            ),
            "sv": (
                "belopp betalningsanmarkning bidrag formogenhet hyra inkomst inkomster konkurs kronofogden "
                "loen skatt skuld skulder skuldsanering utmatning"
            ),
            "tr": "maas gelir borc kredi tutar bakiye kira vergi ucret odeme haciz icra iflas temerrut",
        },
        "belief": {
            "en": (
                "religion religious belief faith church denomination philosophical creed atheist beliefs "
                "buddhist catholic christian faiths hindu jewish muslim"
            ),
            "de": (
                "konfession glaube kirche kirchensteuer bekenntnis glaubensbekenntnis kirchenmitglied "
                "religionszugehoerigkeit weltanschauung"
            ),
            "fr": "croyance confession culte croyances croyant religieux religieuse",
            "es": "creencia iglesia creencias credo religioso",
            "it": "religione fede confessione",
            "pt": "religiao crenca crencas igreja",
            "nl": "religie geloof kerk godsdienst gezindte kerkgenootschap levensovertuiging",
            "pl": "religia wyznanie wiara kosciol religijny wyznania",
            "sv": "kyrka trossamfund trosuppfattning",
            "tr": "din mezhep inanc inanclar",
        },
        "politics": {
            "en": "political politics party vote voted opinion ballot ideology partisan votes voting",
            "de": "partei politisch wahl gesinnung erststimme parteimitglied wahlabsicht wahlentscheidung zweitstimme",
            "fr": "politique parti opinion politiques suffrage",
            "es": "politica partido voto ideologia partidos",
            "it": "partito",
            "pt": "partido politico",
            "nl": "partij politiek partijlid politieke stemgedrag",
            "pl": "partia polityka poglady glosowanie partyjny polityczne",
            "sv": "partitillhorighet politik politisk partisympati",
            "tr": "siyasi parti siyaset partisi secmen siyasal",
        },
        "membership of a union": {
            "en": "union unionmember unionized unionised unions",
            "de": "gewerkschaft gewerkschaften gewerkschaftlich",
            "fr": "syndicat syndical syndicale syndique",
            "es": "sindicato sindical sindicalizado",
            "it": "sindacato sindacale sindacati",
            "pt": "sindicatos",
            "nl": "vakbond vakbondslid vakvereniging",
            "pl": "zwiazek zwiazki zwiazkowy",
            "sv": "fackforbund fackforening fackligt facklig",
            "tr": "sendika sendikali",
        },
        "sexuality": {
            "en": (
                "orientation sexual sexuality homosexual lgbt transgender genderidentity bisexual gay "
                "intersex lesbian lgbti lgbtq queer transsexual"
            ),
            "de": "orientierung sexualitaet geschlechtsidentitaet homosexuell lesbisch schwul sexuell",
            "fr": "sexuelle sexualite homosexuel homosexualite sexuel",
            "es": "sexualidad orientacion lgtb lgtbi",
            "it": "sessuale orientamento omosessuale sessualita",
            "pt": "sexualidade orientacao homossexual",
            "nl": "geaardheid seksuele genderidentiteit gerichtheid homoseksueel seksualiteit",
            "pl": "orientacja seksualna seksualnosc",
            "sv": "homosexuell sexualitet sexuell konsidentitet",
            "tr": "cinsel yonelim cinsellik escinsel",
        },
        "genetic or biometric data": {
            "en": (
                "genetic gene genotype genome dna snp biometric fingerprint retina iris faceprint allele "
                "alleles apoe biometrics brca genes genomic genomics haplotype karyotype voiceprint"
            ),
            "de": "fingerabdruck genetisch biometrisch genom biometrie erbgut gentest",
            "fr": "genetique adn empreinte biometrique empreintes",
            "es": "genetico huella biometrico genoma genotipo huellas",
            "it": "genetica impronta",
            "pt": "genetica biometria",
            "nl": "vingerafdruk genetisch erfelijk genoom",
            "pl": "genetyczny genetyczne biometryczne",
            "sv": "arvsmassa biometrisk fingeravtryck genetisk",
            "tr": "genetik parmakizi biyometrik",
        },
        "crime": {
            "en": (
                "conviction convictions convicted crime criminal offence offense offences arrest arrested "
                "prison sentence felony convict crimes detention dui felon gang incarcerated incarceration "
                "jail misdemeanor misdemeanour offender parole probation recidivism recidivist"
            ),
            "de": (
                "straftat vorstrafe vorstrafen verurteilung delikt haft bewaehrung fuehrungszeugnis "
                "gefaengnis haftstrafe inhaftiert kriminell straftaten strafregister verurteilt vorbestraft"
            ),
            "fr": (
                "crime condamnation delit infraction casier condamnations condamne detenu infractions "
                "judiciaire penal recidive"
            ),
            "es": "delito condena antecedentes carcel condenado condenas delitos penales preso reincidencia",
            "it": "reato condanna arresto carcere casellario condanne detenuto penale reati",
            "pt": "delito condenacao antecedente prisao reincidente",
            "nl": "misdrijf veroordeling strafblad detentie gevangenis justitieel misdrijven veroordeeld",
            "pl": "przestepstwo wyrok karalnosc karany niekarany wiezienie wyroki",
            "sv": "belastningsregister brott fangelse straff straffregister",
            "tr": "suc sabika hukum mahkumiyet cezaevi hapis hukumlu mahkum sabikali suclar",
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
            "sv": "betyg omdome resultat",
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
            "sv": "alder fodelsear fodelsedag fodelsedatum",
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
            "sv": "koen konstillhorighet",
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
            "sv": "civilstand familj",
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
            "sv": "fodelseland medborgarskap modersmal nationalitet sprak",
            "tr": "uyruk milliyet dil",
        },
        "the ethnic origin": {
            "en": "caste ethnic ethnicity race tribe eth ethnical indigenous racial tribal",
            "de": "ethnie hautfarbe rasse ethnisch ethnische volksgruppe",
            "fr": "ethnie ethnique",
            "es": "etnia raza etnico indigena",
            "it": "etnia razza razziale",
            "pt": "etnia raca quilombola",
            "nl": "etniciteit huidskleur ras etnisch etnische",
            "pl": "etniczne rasa etniczna rasowy",
            "sv": "etnicitet hudfarg",
            "tr": "etnik irk etnisite irki",
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
            "sv": "bostadsort fodelseort kommun laen stad",
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
            "sv": "postnr postnummer",
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
            "sv": "anstallningsdatum datum inskrivning utskrivning",
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
            "sv": "anstallning arbete arbetsgivare avdelning utbildning yrke",
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
            "sv": "kroppslangd langd vikt",
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
            "incinta gravida grossesse zwanger ciaza hamile kanser addiction adhd autism autistic burnout overdose "
            "suicide vih sucht krankheit maladie toxicomanie enfermedad malattia doenca ziekte choroba uzaleznienie "
            "sjukdom sjukskriven missbruk"
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

WITH_DIGITS: Mapping[str, str] = MappingProxyType(
    {
        "health": "a1c ca125 cd4 cd8 cid9 cid10 cid11 cie9 cie10 cie11 dsm4 dsm5 hba1c ksh97",
    }
)
"""Words with digits, which name nothing without them: laboratory values, and classifications of diseases."""

RESULTS: Mapping[str, str] = MappingProxyType(
    {
        "negative": "neg negatief negatif negativ negative negativo negatywny ujemny",
        "positive": "pos positief positif positiv positive positivo pozitif pozytywny dodatni",
        "unknown": (
            "bilinmiyor borderline desconhecido desconocido equivocal inconclusive inconnu indeterminate nieznany "
            "okand onbekend pending sconosciuto unbekannt unknown"
        ),
    }
)
"""Values of a test of a person. A column that has a negative and a positive one and no others is one."""

LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "sv", "tr")

LINKS = ("", "s", "n", "en", "es", "e", "er", "ens")
"""What may stand between two words of a compound, as in Geburtsdatum, and after the last one, as an ending."""
